#if SVG
import Glibc
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Documents that would take too long or too much memory, or want other files.
@Suite(.timeLimit(.minutes(10))) struct SVGDamageTests {
  private static let size = "width='100' height='100'"

  @Test func elementsThatMultiplyAreRefused() {
    let levels = (1...24).map { level in
      let use = "<use xlink:href='#g\(level - 1)'/>"
      return "<g id='g\(level)'>\(use)\(use)</g>"
    }
    let drawing = "<defs><rect id='g0' width='1' height='1'/>\(levels.joined())</defs>"
    let bytes = SVGSample.document(Self.size, drawing + "<use xlink:href='#g24'/>")
    let feature = "references that multiply its elements"
    #expect(failure(of: bytes) == .unsupported(.svg, feature: feature))
  }

  @Test(
    arguments: [
      "<style>.x{filter<!-- -->:blur(9px)}</style>",
      "<style><![CDATA[.y{a:b/*&*/;}.x{filter:blur(9px)}/*;*/]]></style>",
      "<style>.y{}<![CDATA[.x{filter:]]>blur(9px)}</style>",
    ]
  )
  func stylesInPiecesCount(_ style: String) {
    let drawing = style + String(repeating: "<rect class='x' width='9' height='9'/>", count: 400)
    let large = Fitting.inside(PixelSize(width: 3000, height: 3000))
    let feature = "filters, layers or lines that take too long at this size"
    let bytes = SVGSample.document(Self.size, drawing)
    #expect(failure(of: bytes, large) == .unsupported(.svg, feature: feature))
  }

  @Test(arguments: ["3 1000", "1000,3", "1000"])
  func matricesAreLargeInOneDirectionToo(_ order: String) {
    let filter = "<filter id='f'><feConvolveMatrix order='\(order)' kernelMatrix='1'/></filter>"
    let drawing = filter + "<rect width='100' height='100' filter='url(#f)'/>"
    let feature = "filters, layers or lines that take too long at this size"
    let bytes = SVGSample.document(Self.size, drawing)
    #expect(failure(of: bytes) == .unsupported(.svg, feature: feature))
  }

  /// librsvg 2.54 ends the process for it, whatever the order of the matrix.
  @Test(arguments: ["1 ", "1,", "-1", ".1", "1e0 ", "+1", "1e0.5,"])
  func matricesOfTooManyNumbersAreRefused(_ number: String) {
    func bytes(_ count: Int) -> [UInt8] {
      let numbers = String(repeating: number, count: count)
      let filter = "<filter id='f'><feConvolveMatrix order='3' kernelMatrix='\(numbers)'/></filter>"
      return SVGSample.document(Self.size, filter + "<rect width='9' height='9' filter='url(#f)'/>")
    }
    let feature = "a matrix of more than 399 numbers"
    #expect(failure(of: bytes(400)) == .unsupported(.svg, feature: feature))
    #expect(failure(of: bytes(number.contains(".5") ? 199 : 399)) == nil)
  }

  @Test func markersCountAtEachCorner() {
    let marker = "<marker id='m'>" + String(repeating: "<rect/>", count: 100) + "</marker>"
    func bytes(_ corners: Int) -> [UInt8] {
      let path = String(repeating: "l1 1", count: corners)
      return SVGSample.document(Self.size, marker + "<path marker-mid='url(#m)' d='M0 0\(path)'/>")
    }
    let feature = "references that multiply its elements"
    #expect(failure(of: bytes(20_000)) == .unsupported(.svg, feature: feature))
    #expect(failure(of: bytes(100)) == nil)
  }

  @Test(arguments: ["path d='M", "polygon points='"])
  func linesThatCrossEachOtherTooOftenAreRefused(_ start: String) {
    func bytes(_ count: Int) -> [UInt8] {
      var random = SeededGenerator(seed: 5)
      let points = (0..<count).map { _ in
        "\(Int.random(in: 0...99, using: &random)) \(Int.random(in: 0...99, using: &random)) "
      }
      return SVGSample.document(Self.size, "<\(start)\(points.joined())'/>")
    }
    let feature = "filters, layers or lines that take too long at this size"
    #expect(failure(of: bytes(12_000)) == .unsupported(.svg, feature: feature))
    #expect(failure(of: bytes(1_000)) == nil)
  }

  @Test(arguments: ["l3 1l-2 1", "h90v.001h-90v.001", "a1 1 0 01.5.5", "c1 1 2 2 3 3"])
  func longPathsThatDoNotCrossThemselvesAreDrawn(_ piece: String) {
    let path = "M0 0" + String(repeating: piece, count: 20_000)
    #expect(failure(of: SVGSample.document(Self.size, "<path d='\(path)'/>")) == nil)
  }

  @Test(arguments: ["M-", "M0 0+", "M1 2 3 -", "M0 0L.", "-", "M0 0zz-"])
  func pathsThatEndInTheMiddleOfANumberEnd(_ path: String) {
    #expect(failure(of: SVGSample.document(Self.size, "<path d='\(path)'/>")) == nil)
  }

  @Test(
    arguments: [
      "<path d='LINES' points=''/>", "<path d='LINES' x:d='M0 0' xmlns:x='u:x'/>",
      "<path d='M1e9 1e9LINES'/>", "<path d='LINES' patternTransform=''/>",
    ]
  )
  func linesThatCrossAreCountedWhateverElseIsSaid(_ element: String) {
    let lines = "M0 0" + String(repeating: "L90 90L90 0L0 90L0 0", count: 25_000)
    let drawing = element.replacing("LINES", with: lines)
    #expect(failure(of: SVGSample.document(Self.size, drawing)) != nil)
  }

  @Test func aTransformOfPatternsHidesNoFilter() {
    let filter = "<feTurbulence numOctaves='1000000' patternTransform=''/>"
    let drawing = "<filter id='f'>\(filter)</filter><rect width='9' height='9' filter='url(#f)'/>"
    #expect(failure(of: SVGSample.document(Self.size, drawing)) != nil)
  }

  /// Without a size, what it draws is measured.
  @Test func filtersThatMeasuringWouldRunAreCounted() {
    let filter = "<filter id='f'><feTurbulence numOctaves='1000000' baseFrequency='.1'/></filter>"
    let drawing = filter + "<rect width='2000' height='2000' filter='url(#f)'/>"
    let feature = "filters, layers or lines that take too long at this size"
    for size in ["height='2000'", ""] {
      let bytes = SVGSample.document(size, drawing)
      #expect(failure(of: bytes) == .unsupported(.svg, feature: feature))
    }
  }

  @Test(arguments: ["a:last-of-type", "a:NTH-CHILD(2n)", "a[x='{'],a:nth-child(2n)"])
  func selectorsThatLookAtAllNeighboursAreCounted(_ selector: String) {
    let sheet = "<style>\(selector){fill:red}</style>"
    let drawing = sheet + String(repeating: "<a/>", count: 60_000)
    #expect(failure(of: SVGSample.document(Self.size, drawing)) != nil)
  }

  @Test func embeddedPicturesThatAreDrawnOftenAreRefused() throws {
    let size = PixelSize(width: 2_000, height: 1_000)
    let png = try Canvas(size: size, format: .bgrx).finish().encoded(as: .png)
    let digits = png.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined()
    func bytes(_ uses: Int) -> [UInt8] {
      let image = "<image id='i' width='9' height='9' xlink:href='data:image/png,\(digits)'/>"
      let drawing = image + String(repeating: "<use xlink:href='#i'/>", count: uses)
      return SVGSample.document(Self.size, drawing)
    }
    let feature = "filters, layers or lines that take too long at this size"
    #expect(failure(of: bytes(200)) == .unsupported(.svg, feature: feature))
    #expect(failure(of: bytes(3)) == nil)
  }

  @Test(
    arguments: [(3_000, "."), (300, "a b ."), (1, "a ~ ."), (1, "rect:nth-child(2n) .")]
      as [(Int, String)]
  )
  func styleSheetsThatTakeTooLongAreRefused(_ rules: (count: Int, selector: String)) {
    let sheet = (0..<rules.count).map { "\(rules.selector)c\($0){fill:red}" }.joined()
    func bytes(_ elements: Int) -> [UInt8] {
      let drawing = String(repeating: "<rect class='c0' width='1' height='1'/>", count: elements)
      return SVGSample.document(Self.size, "<style>\(sheet)</style>" + drawing)
    }
    let feature = "style sheets that take too long for its elements"
    #expect(failure(of: bytes(15_000)) == .unsupported(.svg, feature: feature))
    #expect(failure(of: bytes(100)) == nil)
  }

  @Test(
    arguments: [
      ("<feDisplacementMap in2='SourceGraphic' scale='5'/>", 10), ("<feBlend mode='hue'/>", 120),
      ("<feGaussianBlur stdDeviation='100'/>", 50),
    ] as [(String, Int)]
  )
  func filtersOfSmallPicturesAreRefusedTheSooner(_ filter: (primitive: String, count: Int)) {
    func bytes(_ count: Int) -> [UInt8] {
      let all = String(repeating: filter.primitive, count: count)
      let drawing = "<filter id='f'>\(all)</filter><rect width='9' height='9' filter='url(#f)'/>"
      return SVGSample.document("width='400' height='400'", drawing)
    }
    let feature = "filters, layers or lines that take too long at this size"
    #expect(failure(of: bytes(filter.count)) == .unsupported(.svg, feature: feature))
    #expect(failure(of: bytes(filter.count / 10)) == nil)
  }

  @Test func aLargePictureMayBeBlurred() {
    let drawing =
      "<filter id='f'><feGaussianBlur stdDeviation='3'/></filter>"
      + "<rect width='9' height='9' filter='url(#f)'/>"
    #expect(failure(of: SVGSample.document("width='2400' height='2000'", drawing)) == nil)
  }

  @Test func referencesThatAllElementsInheritAreRefused() {
    let style = String(repeating: "a:url(#a);", count: 20_000)
    let children = String(repeating: "<g fill='url(#a)'/>", count: 50_000)
    let bytes = SVGSample.document(Self.size, "<g style='\(style)'>\(children)</g>")
    #expect(failure(of: bytes) != nil)
  }

  @Test func filtersThatTakeTooLongAreRefusedWhereTheyDo() {
    let filter = "<filter id='f'><feTurbulence numOctaves='10' baseFrequency='.1'/></filter>"
    let drawing = filter + "<rect width='100' height='100' filter='url(#f)'/>"
    let bytes = SVGSample.document(Self.size, drawing)
    #expect(failure(of: bytes) == nil)
    let large = Fitting.inside(PixelSize(width: 3000, height: 3000))
    let feature = "filters, layers or lines that take too long at this size"
    #expect(failure(of: bytes, large) == .unsupported(.svg, feature: feature))
  }

  @Test(
    arguments: [
      "<!DOCTYPE svg [<!ENTITY a 'x'><!ENTITY b '&a;&a;'>]>",
      "<!DOCTYPE svg [<!ENTITY a '<rect/>'>]>", "<!DOCTYPE svg [<!ENTITY % a 'x'>]>",
    ]
  )
  func entitiesOfOthersAreRefused(_ prolog: String) {
    let bytes = SVGSample.document(Self.size, "<desc>&a;</desc>", prolog: prolog)
    let feature = "entities that multiply or have markup"
    #expect(failure(of: bytes) == .unsupported(.svg, feature: feature))
  }

  @Test func entitiesThatAreUsedTooOftenAreRefused() {
    let text = String(repeating: "x", count: 20_000)
    let uses = String(repeating: "&a;", count: 100)
    let prolog = "<!DOCTYPE svg [<!ENTITY a '\(text)'>]>"
    let bytes = SVGSample.document(Self.size, "<desc>\(uses)</desc>", prolog: prolog)
    let feature = "entities that multiply or have markup"
    #expect(failure(of: bytes) == .unsupported(.svg, feature: feature))
  }

  @Test func embeddedPicturesAreHeldAgainstTheirSize() throws {
    let png = try gradient(width: 3, height: 2).encoded(as: .png)
    #expect(failure(of: embedding(png, as: "image/png")) == nil)
    var large = png
    large.replaceSubrange(16..<24, with: [0, 0, 0x80, 0, 0, 0, 0x80, 0])
    guard case .overLimit(.pixels, _, _) = failure(of: embedding(large, as: "image/png")) else {
      Issue.record("a bomb is drawn")
      return
    }
  }

  @Test(arguments: ["image/svg+xml", "image/x-tga", "text/plain", ""])
  func embeddedPicturesOfOtherKindsAreRefused(_ kind: String) {
    let feature = "an embedded picture that is not PNG, JPEG or GIF"
    let bytes = embedding(SVGSample.document(Self.size), as: kind)
    #expect(failure(of: bytes) == .unsupported(.svg, feature: feature))
  }

  @Test func aCompressedBombIsRefused() {
    let spaces = [UInt8](repeating: 0x20, count: 60_000)
    let bytes = SVGSample.document(Self.size) + spaces
    #expect(failure(of: SVGSample.stored(bytes)) == nil)
    let long = SVGSample.document(Self.size) + [UInt8](repeating: 0x20, count: 9 << 20)
    let limit = 8 << 20
    #expect(failure(of: long) == .overLimit(.bytes, value: long.count, limit: limit))
  }

  @Test func elementsThatAreTooDeepAreRefused() {
    let start = String(repeating: "<g>", count: 300)
    let bytes = SVGSample.document(Self.size, start + String(repeating: "</g>", count: 300))
    let feature = "more elements, or deeper ones, than can be drawn"
    #expect(failure(of: bytes) == .unsupported(.svg, feature: feature))
  }

  @Test func elementsThatAreDrawnTooDeepForOthersAreRefused() {
    let groups = (1...30).map { level in
      let start = "<g id='g\(level)'>" + String(repeating: "<g>", count: 20)
      return start + "<use xlink:href='#g\(level - 1)'/>" + String(repeating: "</g>", count: 21)
    }
    let drawing = "<defs><rect id='g0'/>\(groups.joined())</defs><use xlink:href='#g30'/>"
    let feature = "more elements, or deeper ones, than can be drawn"
    let bytes = SVGSample.document(Self.size, drawing)
    #expect(failure(of: bytes) == .unsupported(.svg, feature: feature))
  }

  @Test(
    arguments: [
      "<g id='a'><use xlink:href='#a'/></g>", "<g id='a' mask='url(#a)'/>",
      "<style>g { mask: url(#a) }</style><g id='a'/>",
      "<style>g { m\\61 sk: u\\72 l(#a) }</style><g id='a'/>", "<g id='a' style='fill:url(#a)'/>",
    ]
  )
  func referencesInACircleAreRefused(_ drawing: String) {
    let feature = "references in a circle"
    let bytes = SVGSample.document(Self.size, drawing)
    #expect(failure(of: bytes) == .unsupported(.svg, feature: feature))
  }

  @Test(
    arguments: [
      "<g fill='url(#p)'>", "<g style='marker-end:url(#p)'>",
      "<style>.a { stroke: url(#p) }</style><g class='a'>", "<style>path{fill:url(#p)}</style><g>",
    ]
  )
  func whatElementsInheritIsCountedForEach(_ start: String) {
    let dots = String(repeating: "<path d='M0 0h1'/>", count: 600)
    let squares = String(repeating: "<rect width='1' height='1'/>", count: 600)
    let pattern = "<pattern id='p' width='1' height='1'>\(squares)</pattern>"
    let bytes = SVGSample.document(Self.size, pattern + start + dots + "</g>")
    let feature = "references that multiply its elements"
    #expect(failure(of: bytes) == .unsupported(.svg, feature: feature))
  }

  @Test(
    arguments: [
      "<?xml-stylesheet href='data:text/css,*{opacity:.5}'?>",
      "<style>@import url(data:text/css,*{opacity:.5});</style>",
    ]
  )
  func styleSheetsInAddressesAreRefused(_ text: String) {
    let isProlog = text.hasPrefix("<?")
    let bytes = SVGSample.document(Self.size, isProlog ? "" : text, prolog: isProlog ? text : "")
    let feature = "an embedded style sheet in an address"
    #expect(failure(of: bytes) == .unsupported(.svg, feature: feature))
  }

  @Test func changedBytesArePicturesOrErrors() {
    var random = SeededGenerator(seed: 20_261_126)
    let whole = SVGSample.halves("width='10' height='10' viewBox='0 0 10 10'")
    for _ in 0..<Rounds.fewer(3_000, atLeast: 300) {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      _ = outcome(of: bytes, .cover(PixelSize(width: 8, height: 8)))
    }
  }

  // MARK: - Other files

  @Test func noFileIsOpened() throws {
    let folder = try TemporaryDirectory()
    let pipe = "\(folder.path)/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    // A second reader would be told by a writer's success alone, so the pipe has none but ours.
    for address in ["file://\(pipe)", pipe, "pipe", "../pipe"] {
      for bytes in [referring(to: address)] + declaring(address) {
        let start = ContinuousClock.now
        _ = outcome(of: bytes)
        // Whoever opened the pipe would wait for a writer.
        #expect(ContinuousClock.now - start < .seconds(5))
      }
    }
  }

  @Test func noConnectionIsOpened() throws {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { any in
        guard bind(listener, any, length) == 0, listen(listener, 8) == 0,
          getsockname(listener, any, &length) == 0
        else { return UInt16(0) }
        return UInt16(bigEndian: pointer.pointee.sin_port)
      }
    }
    try #require(port != 0)
    let place = "http://127.0.0.1:\(port)/a.svg"
    for bytes in [referring(to: place)] + declaring(place) { _ = outcome(of: bytes) }
    #expect(accept(listener, nil, nil) == -1)
    #expect(errno == EAGAIN)
  }

  private func referring(to address: String) -> [UInt8] {
    SVGSample.document(
      Self.size,
      """
      <style>@import url(\(address));</style><image xlink:href='\(address)' width='9' height='9'/>
      <image href='\(address)' width='9' height='9'/><use xlink:href='\(address)#a'/>
      <rect fill='url(\(address)#g)' width='9' height='9'/>
      """,
      prolog: "<?xml-stylesheet href='\(address)'?>"
    )
  }

  /// Documents with an entity of another file, and with declarations there.
  private func declaring(_ address: String) -> [[UInt8]] {
    ["[<!ENTITY x SYSTEM '\(address)'>]", "SYSTEM '\(address)'"].map { type in
      let text = "<text y='9'>&x;</text>"
      return SVGSample.document(Self.size, text, prolog: "<!DOCTYPE svg \(type)>")
    }
  }

  private func embedding(_ picture: [UInt8], as kind: String) -> [UInt8] {
    let body = picture.map { byte in
      let digits = String(byte, radix: 16)
      return (digits.count == 1 ? "%0" : "%") + digits
    }
    let image = "<image width='9' height='9' xlink:href='data:\(kind),\(body.joined())'/>"
    return SVGSample.document(Self.size, image)
  }
}
#endif
