import FoundationEssentials
import IkranPixels
import TestBasics
import Testing

@testable import IkranCodecs

/// The table of the article *Formats*, against what the codecs of this build do.
@Suite(.timeLimit(.minutes(5))) struct FormatsArticleTests {
  private func rows() throws -> [[String: String]] { try Article("Formats").rows() }

  /// The formats with a *yes* in a column, of those that this build reads.
  private func marked(_ column: String) throws -> [String] {
    let known = ImageFormat.decodable.map(\.rawValue)
    let marked = try rows().filter { $0[column] == "yes" }.compactMap { $0["format"] }
    return marked.filter(known.contains).sorted()
  }

  /// The formats of this build whose samples do something.
  private func formats(_ isTrue: (FormatSamples) throws -> Bool) throws -> [String] {
    try ImageFormat.decodable.filter { try isTrue(FormatSamples($0)) }.map(\.rawValue).sorted()
  }

  @Test func everyFormatThatIsDecodedIsInTheTableOnce() throws {
    let rows = try rows()
    let names = rows.compactMap { $0["format"] }
    let left = ImageFormat.leftOut.map(\.rawValue)
    #expect(
      names.filter { !left.contains($0) }.sorted()
        == ImageFormat.decodable.map(\.rawValue).sorted()
    )
  }

  private static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

  private func text(_ path: String) throws -> String {
    try String(contentsOf: URL(filePath: "\(Self.root)/\(path)"), encoding: .utf8)
  }

  /// The trait without which the file of a decoder is empty; nil for one that is always there, on
  /// Linux at least (decision 97).
  private func trait(of codec: any Codec) throws -> String? {
    let folder = "Sources/Library/IkranCodecs"
    let files = try FileManager.default.subpathsOfDirectory(atPath: "\(Self.root)/\(folder)")
    let file = try #require(files.first { $0.hasSuffix("/\(type(of: codec)).swift") })
    let trait = try text("\(folder)/\(file)").firstMatch(of: /^#if (\w+)/).map { String($0.1) }
    return trait == "CLibraries" ? nil : trait
  }

  @Test func theTraitsAndLibrariesAreThoseOfThePackage() throws {
    let formats = /OptionalFormat\(trait: "(\w+)", module: "\w+", needs: "([a-z]+)/
    let named = try text("Package.swift").matches(of: formats).map { (String($0.1), String($0.2)) }
    let libraries = Dictionary(uniqueKeysWithValues: named)
    #expect(libraries.count == 5)
    for codec in CodecList.standard.codecs {
      let row = try #require(try rows().first { $0["format"] == codec.format.rawValue })
      let trait = try trait(of: codec)
      #expect(row["trait"] == trait ?? "")
      if let trait { #expect(row["library"] == libraries[trait]) }
    }
  }

  @Test(arguments: ImageFormat.decodable.map(\.rawValue))
  func everySampleIsOfItsFormat(_ name: String) throws {
    let format = ImageFormat(rawValue: name)
    let samples = try FormatSamples(format)
    let files = [
      samples.early, samples.translucent, samples.wide, samples.turned, samples.animation,
    ]
    for bytes in [samples.picture] + files.compactMap({ $0 }) {
      #expect(try probe(bytes).get().format == format)
      _ = try outcome(of: bytes).get()
    }
  }

  @Test func whatIsShownAsAStillIsMarked() throws {
    let still = try formats { samples in
      let info = try probe(samples.picture).get()
      return try !info.isAnimated && outcome(of: samples.picture).get().size == info.uprightSize
    }
    #expect(try marked("still") == still)
  }

  @Test func whatMovesIsMarked() throws {
    let moving = try formats {
      try $0.animation.map { try animation($0).info.frames.count > 1 } ?? false
    }
    #expect(try marked("animated") == moving)
  }

  @Test func whatIsShownWhileItArrivesIsMarked() throws {
    let shown = try formats { samples in
      let file = samples.early ?? samples.picture
      let bytes = Array(file[..<(file.count * 7 / 8)])
      guard let codec = try CodecList.standard.codec(for: bytes.span, nil) as? any PrefixCodec,
        let order = codec.order(of: bytes.span), order != .unknown
      else { return false }
      return try codec.decodePrefix(
        bytes.span,
        fitting: .original,
        rules: DecodeRules(),
        workspace: Workspace()
      ) != nil
    }
    #expect(try marked("progressive") == shown)
  }

  /// Limits under which a picture may not be held whole.
  private func limits(_ size: PixelSize) -> DecodeLimits {
    var limits = DecodeLimits()
    limits.maximumPixels = size.width * size.height / 8
    return limits
  }

  @Test func whatIsScaledWhileItIsDecodedIsMarked() throws {
    let scaled = try formats { samples in
      let size = try probe(samples.picture).get().size
      let small = PixelSize(width: size.width / 16, height: size.height / 16)
      return failure(of: samples.picture, .inside(small), limits: limits(size)) == nil
    }
    #expect(try marked("scaled") == scaled)
  }

  @Test func whatIsDecodedInRectanglesIsMarked() throws {
    let regions = try formats { samples in
      let size = try probe(samples.picture).get().size
      let part = PixelRectangle(x: size.width / 2, y: size.height / 2, width: 5, height: 4)
      let rules = DecodeRules(limits: limits(size))
      do throws(DecodeError) {
        var decoder = try RegionDecoder(samples.picture.span, rules: rules)
        return try decoder.decode(part, of: samples.picture.span).size == part.size
      } catch {
        return false
      }
    }
    #expect(try marked("region") == regions)
  }

  @Test func whatMayBeTransparentIsMarked() throws {
    let translucent = try formats { samples in
      guard let bytes = samples.translucent else { return false }
      let bitmap = try outcome(of: bytes).get()
      return bitmap.format == .bgra && bitmap.pixels.joined().contains { $0.alpha < 255 }
    }
    #expect(try marked("alpha") == translucent)
  }

  @Test func whoseProfilesAreUsedIsMarked() throws {
    let managed = try formats { samples in
      guard let bytes = samples.wide else { return false }
      let (bitmap, plain) = (
        try outcome(of: bytes).get(),
        try outcome(of: bytes, by: DecodeRules(colors: .untouched)).get().bitmap
      )
      // Red, which Display P3 has more of.
      #expect(plain.pixels[8][8].distance(to: Pixel(200, 40, 40)) <= 5)
      return bitmap.pixels[8][8].distance(to: Pixel(220, 0, 18)) <= 5
    }
    #expect(try marked("profile") == managed)
  }

  @Test func whatIsTurnedIsMarked() throws {
    let turned = try formats { samples in
      guard let bytes = samples.turned else { return false }
      let info = try probe(bytes).get()
      #expect(info.uprightSize == PixelSize(width: info.size.height, height: info.size.width))
      return try info.orientation == .right && outcome(of: bytes).get().size == info.uprightSize
    }
    #expect(try marked("turned") == turned)
  }

  /// The encoding after another one, from nil to nil: a new one does not compile without its place.
  private func encoding(after encoding: ImageEncoding?) -> ImageEncoding? {
    switch encoding {
    case nil: .png
    case .png: .jpeg()
    case .jpeg: .webp()
    case .webp: .webpLossless
    case .webpLossless: .gif
    case .gif: .avif()
    case .avif: .jpegXL()
    case .jpegXL: .jpegXLLossless()
    case .jpegXLLossless: .bmp
    case .bmp: nil
    }
  }

  @Test func everyFormatThatIsWrittenIsMarked() throws {
    let encodings = sequence(state: ImageEncoding?.none) { last in
      last = encoding(after: last)
      return last
    }
    let written = Set(encodings.map(\.format.rawValue))
    let known = Set(ImageFormat.decodable.map(\.rawValue))
    #expect(try Set(marked("written")) == written.intersection(known))
  }
}
