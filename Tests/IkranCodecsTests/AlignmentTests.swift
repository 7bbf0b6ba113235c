import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// What decoders give is shown by Core Animation without a copy only where the rows of a picture
/// are multiples of 64 bytes (SDWebImage #2101, FastImageCache #110).
@Suite(.timeLimit(.minutes(10))) struct AlignmentTests {
  private static let fittings = [
    Fitting.original, .inside(PixelSize(width: 17, height: 19)),
    .cover(PixelSize(width: 9, height: 11)), .around(PixelSize(width: 77, height: 5)),
    .region(
      PixelRectangle(x: 1, y: 1, width: 5, height: 3),
      PixelSize(width: 5, height: 3),
      isolated: true
    ),
  ]

  private func expectAligned(_ bitmap: Bitmap, _ what: String) {
    let start = bitmap.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    #expect(start % 64 == 0 && bitmap.bytesPerRow % 64 == 0 && bitmap.hasWholeRows, "\(what)")
  }

  @Test func everyDecoderGivesAlignedRows() throws {
    var seen: Set<ImageFormat> = []
    for name in Fixtures.names {
      let bytes = try Fixtures.bytes(name)
      for fitting in Self.fittings {
        for handling in ColorHandling.allCases {
          let rules = DecodeRules(colors: handling, acceptsCutFiles: true)
          // Some are damaged on purpose, and some too small for the region.
          guard case .success(let picture) = outcome(of: bytes, fitting, by: rules) else {
            continue
          }
          if let format = ImageFormat(of: bytes) { seen.insert(format) }
          expectAligned(picture.bitmap, "\(name), \(fitting), \(handling)")
        }
      }
    }
    let left = CodecList.standard.codecs.map(\.format).filter { !seen.contains($0) }
    #expect(left.isEmpty)
  }

  @Test func everyFrameHasAlignedRows() throws {
    var seen: Set<ImageFormat> = []
    for name in Fixtures.names {
      // Most are no animations.
      guard let source = try? CodecList.standard.frames(of: Fixtures.bytes(name)) else { continue }
      seen.insert(source.info.format)
      let composer = source.makeComposer()
      for fitting in Self.fittings.dropLast() {
        for frame in source.info.frames.indices {
          let bitmap = try? composer.compose(
            frame,
            from: nil,
            fitting: fitting,
            workspace: Workspace()
          )
          if let bitmap { expectAligned(bitmap, "\(name), frame \(frame)") }
        }
      }
    }
    #expect(seen.isSuperset(of: [.gif, .png]))
  }

  @Test func tilesAndBeginningsHaveAlignedRows() throws {
    for name in Fixtures.names {
      let bytes = try Fixtures.bytes(name)
      if var decoder = try? RegionDecoder(bytes.span) {
        let size = decoder.info.uprightSize
        let half = PixelSize(width: max(1, size.width / 2), height: max(1, size.height / 2))
        let tile = PixelRectangle(x: 0, y: 0, width: half.width, height: half.height)
        if let bitmap = try? decoder.decode(tile, of: bytes.span) {
          expectAligned(bitmap, "a tile of \(name)")
        }
      }
      let part = try? CodecList.standard.decodePrefix(
        Array(bytes.dropLast(bytes.count / 3)).span,
        fitting: .original,
        rules: DecodeRules(),
        workspace: Workspace()
      )
      if let part { expectAligned(part.bitmap, "the beginning of \(name)") }
    }
  }
}
