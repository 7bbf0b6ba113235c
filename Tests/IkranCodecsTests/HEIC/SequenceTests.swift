#if HEIC
import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Files of several pictures with times, of which libheif reads the still alone.
@Suite(.timeLimit(.minutes(10))) struct SequenceTests {
  private static func box(_ kind: String, _ content: [UInt8]) -> [UInt8] {
    let count = UInt32(content.count + 8)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + Array(kind.utf8)
      + content
  }

  /// A film's box with a header of version 0 and no track.
  private static let film = box("moov", box("mvhd", Array(repeating: 0, count: 100)))
  private static let brands = box("ftyp", Array("msf1\0\0\0\0msf1hevc".utf8))

  @Test func aSequenceShowsItsStill() throws {
    let still = try Fixtures.bytes("areas-420.heic")
    // Its places are counted from the start: what is added comes last.
    var file = still + Self.film
    file.replaceSubrange(8..<12, with: Array("msf1".utf8))
    #expect(ImageFormat(of: file) == .heic)
    #expect(try probe(file).get().frames == 1)
    #expect(try outcome(of: file).get().pixels == outcome(of: still).get().pixels)
    #expect(try CodecList.standard.frames(of: file) == nil)
  }

  @Test func aSequenceWithoutAStillIsOneError() throws {
    let file = Self.brands + Self.film
    #expect(ImageFormat(of: file) == .heic)
    let feature = "a sequence of pictures without a still"
    #expect(failure(of: file) == .unsupported(.heic, feature: feature))
  }
}
#endif
