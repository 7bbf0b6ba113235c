import IkranCodecs
import IkranPixels
import TestBasics
import Testing

@testable import IkranIsolation

/// Files that ask for more than they are worth, in decoders of their own.
///
/// A sanitizer maps terabytes, so that a decoder's memory has no bound, and takes minutes for them.
extension OneAfterTheOther {
  @Suite(.enabled(if: Corpus.isAvailable && !Sanitizer.isOn, "a sanitizer maps terabytes"))
  struct BombTests {
    private let decoders = Decoders()
    private let bombs = Corpus.files.filter { $0.path.hasPrefix("bombs/") }

    private func outcome(_ file: [UInt8], _ rules: DecodeRules) -> Result<Bitmap, DecodeError> {
      Result { () throws(DecodeError) in
        try decoders.codecs.decode(file.span, rules: rules).bitmap
      }
    }

    @Test func noBombEndsADecoder() throws {
      #expect(!bombs.isEmpty)
      let process = try decoders.process()
      for bomb in bombs {
        if case .failure(.isolated(_, let failure)) = outcome(try bomb.bytes(), DecodeRules()) {
          Issue.record("\(bomb): \(failure)")
        }
      }
      #expect(decoders.pool.idleProcesses == [process])
    }

    @Test func aDecoderThatWantsAllMemoryCostsOneError() throws {
      let rules = Self.boundless
      for name in [
        "png-60000x60000-rgba-tiny-idat.png", "bmp-65535x65535.bmp", "tiff-65535x65535.tif",
      ] {
        let bomb = try #require(bombs.first { $0.path.hasSuffix(name) })
        switch outcome(try bomb.bytes(), rules) {
        // The BMP file is as long as its header.
        case .failure(.bitmap(.outOfMemory)), .failure(.truncated(.bmp, offset: 54)): break
        case let result: Issue.record("\(name): \(result)")
        }
      }
      let picture = Decoders.picture
      #expect(try decoders.codecs.decode(picture.span).bitmap.width == 40)
    }

    /// Without limits: the bound of the decoder's memory is all that is left.
    private static var boundless: DecodeRules {
      var rules = DecodeRules()
      rules.limits.maximumPixels = 1 << 40
      rules.limits.maximumDeclaredPixels = 1 << 40
      rules.limits.maximumDimension = 1 << 20
      return rules
    }
  }
}
