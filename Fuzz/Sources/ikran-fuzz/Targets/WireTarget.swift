import IkranCodecs
import IkranPixels
@testable import IkranIsolation

/// The bytes that a decoder in another process sends back, which may run a stranger's code, and
/// those that it is asked by: what is read of them is the same after it was written.
enum WireTarget {
  static func run(_ bytes: Input) -> CInt {
    let bytes = Array(bytes)
    if let response = read(DecoderResponse.self, bytes) {
      if case .picture(let picture) = response, let count = picture.byteCount {
        report("a picture without bytes", unless: count > 0)
      }
      _ = DecoderRequest.decode(.avif, .original, DecodeRules()).mayBring(response)
      check(response)
    }
    if let request = read(DecoderRequest.self, bytes) {
      _ = (request.format, request.mayBring(.notOpen))
      check(request)
    }
    return 0
  }

  /// Every message.
  static var seeds: [[UInt8]] {
    let size = PixelSize(width: 3, height: 2)
    var info = ImageInfo(format: .gif, size: size)
    (info.frames, info.durations, info.loops) = (2, [10, 0], 0)
    let animation = AnimationInfo(
      format: .png,
      size: size,
      hasAlpha: true,
      frames: [.init(duration: 40, isKey: true, isBase: false)],
      plays: 3,
      end: .broken(.truncated(.png, offset: 9))
    )
    let picture = DecoderResponse.Picture(
      size: size,
      format: .bgra,
      profile: [1, 2, 3],
      notes: [.checksumWrong, .profileIgnored(reason: "none"), .cut(rows: 1, height: 2)]
    )
    let errors: [DecodeError] = [
      .empty, .unknownFormat(hint: "text"), .malformed(.svg, offset: 1, reason: "x"),
      .overLimit(.pixels, value: 2, limit: 1), .unsupported(.tiff, feature: "x"),
      .bitmap(.invalidSize(size)), .noPage(.tiff, 3, count: 2),
    ]
    var responses: [DecoderResponse] = [.info(info), .picture(picture), .none, .notOpen]
    responses += [.frames(animation)] + errors.map(DecoderResponse.failed)
    let movie = DecoderRequest.Movie(format: .avif, isPrefix: true, rules: DecodeRules())
    let requests: [DecoderRequest] = [
      .probe(.avif), .decode(.heic, .cover(size), DecodeRules()),
      .decodePrefix(.tiff, .inside(size), DecodeRules(page: 1)), .frames(movie),
      .compose(player: 1, movie, opens: true, frame: 2, .original),
    ]
    return responses.map(written) + requests.map(written)
  }

  private static func check<Message: Wired>(_ message: Message) {
    let bytes = written(message)
    guard let again = read(Message.self, bytes) else {
      return report("a message cannot be read after it was written")
    }
    report("a message changes", unless: written(again) == bytes)
  }

  private static func read<Message: Wired>(_: Message.Type, _ bytes: [UInt8]) -> Message? {
    var reader = WireReader(bytes)
    return try? Message(from: &reader)
  }

  private static func written(_ message: some Wired) -> [UInt8] {
    var writer = WireWriter()
    message.write(to: &writer)
    return writer.bytes
  }
}
