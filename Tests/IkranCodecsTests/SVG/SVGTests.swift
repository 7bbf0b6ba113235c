#if SVG
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

@Suite(.timeLimit(.minutes(10))) struct SVGTests {
  @Test(
    arguments: [
      ("width='30' height='20'", 30, 20), ("width='30.2' height='20'", 31, 20),
      ("viewBox='0 0 40 30'", 40, 30), ("width='100%' height='100%' viewBox='0 0 40 30'", 40, 30),
      ("width='80' viewBox='0 0 40 30'", 80, 60), ("height='60' viewBox='0 0 40 30'", 80, 60),
      ("width='1in' height='72pt'", 96, 96), ("width='2.54cm' height='25.4mm'", 96, 96),
      ("width='6pc' height='3pc'", 96, 48), ("font-size='10' width='2em' height='3em'", 20, 30),
      ("width='5000' height='2500'", 4096, 2048), ("width='1e9' height='1'", 4096, 1),
      ("viewBox='0 0 40 30' preserveAspectRatio='none'", 40, 30),
    ]
  )
  func theSizeIsThatOfTheRoot(_ sample: (attributes: String, width: Int, height: Int)) throws {
    let bytes = SVGSample.document(sample.attributes)
    let info = try probe(bytes).get()
    #expect(info.size == PixelSize(width: sample.width, height: sample.height))
    #expect(info.format == .svg)
    #expect(info.hasAlpha)
    #expect(try outcome(of: bytes).get().size == info.size)
  }

  @Test func aDocumentWithoutASizeHasThatOfItsDrawing() throws {
    let drawing = "<rect x='-7' y='5' width='500' height='400' fill='red'/>"
    let bitmap = try outcome(of: SVGSample.document("", drawing)).get()
    #expect(bitmap.size == PixelSize(width: 500, height: 400))
    #expect(bitmap.pixels.joined().allSatisfy { $0 == SVGSample.red })
  }

  @Test func sharesOfADocumentWithoutASizeAreOfTheUsualRoom() throws {
    let drawing = "<rect width='100%' height='100%' fill='red'/>"
    let bitmap = try outcome(of: SVGSample.document("", drawing)).get()
    #expect(bitmap.size == PixelSize(width: 300, height: 150))
  }

  @Test(arguments: ["width='0' height='0'", "width='10' height='0' viewBox='0 0 1 1'", ""])
  func aDocumentWithoutAreaIsMalformed(_ attributes: String) {
    let bytes = SVGSample.document(attributes)
    let reason = "it has no size, or an impossible one"
    #expect(failure(of: bytes) == .malformed(.svg, offset: 0, reason: reason))
  }

  @Test(arguments: [10, 1, 3, 64, 1000])
  func theDrawingIsAsSharpAtEverySize(_ side: Int) throws {
    let size = PixelSize(width: side, height: side)
    let samples = ["width='10' height='10'", "viewBox='0 0 10 10'"]
    for bytes in samples.map(SVGSample.halves) {
      let bitmap = try outcome(of: bytes, .cover(size)).get()
      #expect(bitmap.size == size)
      for row in bitmap.pixels {
        #expect(row[..<(side / 2)].allSatisfy { $0 == SVGSample.red })
        #expect(row[(side - side / 2)...].allSatisfy { $0 == SVGSample.blue })
      }
    }
  }

  @Test func theMiddleIsKeptWhereAPictureIsCropped() throws {
    let bytes = SVGSample.halves("width='10' height='10'")
    let bitmap = try outcome(of: bytes, .cover(PixelSize(width: 20, height: 60))).get()
    let row = try #require(bitmap.pixels.last)
    #expect(Set(row[..<10]) == [SVGSample.red])
    #expect(Set(row[10...]) == [SVGSample.blue])
  }

  @Test func aRegionIsDrawnAtItsOwnScale() throws {
    let bytes = SVGSample.halves("width='10' height='10'")
    let region = PixelRectangle(x: 4, y: 3, width: 2, height: 1)
    let size = PixelSize(width: 100, height: 50)
    for isIsolated in [false, true] {
      let fitting = Fitting.region(region, size, isolated: isIsolated)
      let bitmap = try outcome(of: bytes, fitting).get()
      #expect(bitmap.size == size)
      for row in bitmap.pixels {
        #expect(Set(row[..<50]) == [SVGSample.red])
        #expect(Set(row[50...]) == [SVGSample.blue])
      }
    }
  }

  @Test func aPictureInsideABoxKeepsItsAspect() throws {
    let bytes = SVGSample.halves("width='10' height='5'")
    let box = PixelSize(width: 64, height: 64)
    let inside = try outcome(of: bytes, .inside(box)).get()
    #expect(inside.size == PixelSize(width: 64, height: 32))
    let small = try outcome(of: bytes, .inside(box, enlarges: false)).get()
    #expect(small.size == PixelSize(width: 10, height: 5))
  }

  @Test func theAspectOfTheViewBoxIsKeptAsTheDocumentSays() throws {
    let box = "width='20' height='10' viewBox='0 0 10 10'"
    let kept = try outcome(of: SVGSample.halves(box)).get().pixels[5]
    #expect(kept[4] == SVGSample.clear && kept[5] == SVGSample.red && kept[14] == SVGSample.blue)
    let stretched = SVGSample.halves(box + " preserveAspectRatio='none'")
    let all = try outcome(of: stretched).get().pixels[5]
    #expect(all[0] == SVGSample.red && all[9] == SVGSample.red && all[10] == SVGSample.blue)
  }

  @Test func pixelsArePremultiplied() throws {
    let drawing = "<rect width='4' height='4' fill='#f80' fill-opacity='.5'/>"
    let bitmap = try outcome(of: SVGSample.document("width='4' height='4'", drawing)).get()
    #expect(bitmap.format == .bgra)
    #expect(bitmap.pixels[1][1].distance(to: Pixel(128, 68, 0, 128)) <= 1)
  }

  @Test func textIsReadInUTF16AndWithAPrefix() throws {
    let text =
      "<?xml version='1.0' encoding='UTF-16'?><s:svg "
      + "xmlns:s='http://www.w3.org/2000/svg' width='3' height='2'>"
      + "<s:desc>é…</s:desc><s:rect width='3' height='2' fill='red'/></s:svg>"
    for isBig in [false, true] {
      let units = text.utf16.flatMap { unit in
        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 255))
        return isBig ? [high, low] : [low, high]
      }
      for mark in [isBig ? [0xFE, 0xFF] : [0xFF, 0xFE], []] as [[UInt8]] {
        #expect(ImageFormat(of: mark + units) == .svg)
        let bitmap = try outcome(of: mark + units).get()
        #expect(
          bitmap.pixels
            == [[Pixel]](repeating: [Pixel](repeating: SVGSample.red, count: 3), count: 2)
        )
      }
    }
  }

  @Test func aCompressedDocumentIsInflated() throws {
    let plain = SVGSample.halves("width='10' height='10'")
    let file = SVGSample.stored(plain)
    #expect(ImageFormat(of: file) == .svg)
    #expect(try probe(file).get().size == PixelSize(width: 10, height: 10))
    #expect(try outcome(of: file).get().pixels == outcome(of: plain).get().pixels)
    #expect(failure(of: Array(file.dropLast(20))) == .truncated(.svg, offset: file.count - 20))
  }

  @Test func theBeginningOfAFileTellsTheSize() throws {
    let bytes = SVGSample.halves("width='10' height='20'")
    for file in [bytes, SVGSample.stored(bytes)] {
      let info = try probe(Array(file.dropLast(60))).get()
      #expect(info.size == PixelSize(width: 10, height: 20))
    }
  }

  @Test func aFileThatIsCutOffShowsTheElementsThatItHas() throws {
    let bytes = SVGSample.halves("width='10' height='10'")
    let cut = Array(bytes.dropLast(20))
    #expect(failure(of: cut) == .truncated(.svg, offset: cut.count))
    let picture = try outcome(of: cut, by: DecodeRules(acceptsCutFiles: true)).get()
    #expect(picture.notes == [.cut(rows: 10, height: 10)])
    #expect(picture.bitmap.pixels[0][0] == SVGSample.red)
    #expect(picture.bitmap.pixels[0][9] == SVGSample.clear)
  }

  @Test func everyBeginningIsAPictureOrAnError() {
    let bytes = SVGSample.halves("width='10' height='10'")
    for count in 0...bytes.count {
      let part = Array(bytes[..<count])
      _ = outcome(of: part, by: DecodeRules(acceptsCutFiles: true))
      if case .success = outcome(of: part) { #expect(count == bytes.count) }
    }
  }

  @Test func limitsAreKept() {
    let bytes = SVGSample.halves("width='100' height='100'")
    var limits = DecodeLimits()
    limits.maximumPixels = 9_999
    #expect(failure(of: bytes, limits: limits) == .overLimit(.pixels, value: 10_000, limit: 9_999))
    let small = Fitting.cover(PixelSize(width: 9, height: 9))
    #expect(failure(of: bytes, small, limits: limits) == nil)
    let long = Fitting.inside(PixelSize(width: 40_000, height: 40_000))
    let wide = SVGSample.halves("width='4000' height='1'")
    #expect(
      failure(of: wide, long) == .unsupported(.svg, feature: "a size of more than 32767 pixels")
    )
  }
}
#endif
