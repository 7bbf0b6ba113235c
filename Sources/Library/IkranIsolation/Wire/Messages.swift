import IkranCodecs
import IkranPixels

/// What a decoder is asked for; the file travels with it.
enum DecoderRequest {
  case probe(ImageFormat)
  case decode(ImageFormat, Fitting, DecodeRules)
  /// As much as there is of a file that is cut off.
  case decodePrefix(ImageFormat, Fitting, DecodeRules)
  case frames(Movie)
  /// A frame of a file that the decoder has open under this number, or opens now, if it comes
  /// along.
  case compose(player: Int, Movie, opens: Bool, frame: Int, Fitting)

  /// How the frames of a file are read.
  struct Movie: Sendable {
    var format: ImageFormat
    var isPrefix: Bool
    var rules: DecodeRules
  }

  /// The format of its file.
  var format: ImageFormat {
    switch self {
    case .probe(let format), .decode(let format, _, _), .decodePrefix(let format, _, _): format
    case .frames(let movie), .compose(_, let movie, _, _, _): movie.format
    }
  }

  /// Whether it asks what a file's header says.
  var isForHeader: Bool { if case .probe = self { true } else { false } }

  /// Whether it asks for a frame, for which the decoder keeps a canvas.
  var isForFrame: Bool { if case .compose = self { true } else { false } }

  /// Whether a response is one to this request, and what it brings is within the limits.
  func mayBring(_ response: DecoderResponse) -> Bool {
    switch (response, self) {
    case (.failed, _), (.none, _), (.notOpen, .compose), (.info, .probe): true
    case (.frames(let info), .frames): info.frames.count <= limits.maximumFrames
    case (.picture(let picture), .decode), (.picture(let picture), .decodePrefix),
      (.picture(let picture), .compose):
      // Four bytes a pixel and what pads rows: up to a fifth where they have sixty pixels.
      picture.size.pixelCount ?? .max <= limits.maximumPixels
        && picture.byteCount ?? .max <= max(1 << 26, 5 * min(limits.maximumPixels, 1 << 40))
        && [.bgra, .bgrx].contains(picture.format)
    default: false
    }
  }

  private var limits: DecodeLimits {
    switch self {
    case .probe: DecodeLimits()
    case .decode(_, _, let rules), .decodePrefix(_, _, let rules): rules.limits
    case .frames(let movie), .compose(_, let movie, _, _, _): movie.rules.limits
    }
  }
}

/// What a decoder responds; pixels travel with it.
enum DecoderResponse {
  case info(ImageInfo)
  case picture(Picture)
  /// The file has no such pixels, or no frames.
  case none
  case frames(AnimationInfo)
  case failed(DecodeError)
  /// The decoder does not have the file open.
  case notOpen

  /// A picture without its pixels.
  struct Picture {
    var size: PixelSize
    var format: PixelFormat
    var profile: [UInt8]?
    var notes: [DecodeNote] = []

    /// Bytes of the pixels, whose rows follow each other as in a canvas; nil for a size that no
    /// picture has.
    var byteCount: Int? {
      guard size.canBeStored, let row = format.bytesPerRow(width: size.width) else { return nil }
      let (bytes, overflow) = row.multipliedReportingOverflow(by: size.height)
      return overflow ? nil : bytes
    }
  }
}

extension DecoderRequest.Movie: Wired {
  func write(to wire: inout WireWriter) {
    format.write(to: &wire)
    isPrefix.write(to: &wire)
    rules.write(to: &wire)
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    format = try ImageFormat(from: &wire)
    isPrefix = try Bool(from: &wire)
    rules = try DecodeRules(from: &wire)
  }
}

extension DecoderRequest: Wired {
  /// What both sides understand: another number for each change of a message.
  private static let version = 1

  func write(to wire: inout WireWriter) {
    wire.add(Self.version)
    switch self {
    case .probe(let format):
      wire.add(0)
      format.write(to: &wire)
    case .decode(let format, let fitting, let rules):
      wire.add(1)
      format.write(to: &wire)
      fitting.write(to: &wire)
      rules.write(to: &wire)
    case .decodePrefix(let format, let fitting, let rules):
      wire.add(2)
      format.write(to: &wire)
      fitting.write(to: &wire)
      rules.write(to: &wire)
    case .frames(let movie):
      wire.add(3)
      movie.write(to: &wire)
    case .compose(let player, let movie, let opens, let frame, let fitting):
      wire.add(4)
      wire.add(player)
      movie.write(to: &wire)
      opens.write(to: &wire)
      wire.add(frame)
      fitting.write(to: &wire)
    }
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    guard try wire.number() == Self.version else { throw WireReader.Garbled() }
    let kind = try wire.number()
    switch kind {
    case 0: self = .probe(try ImageFormat(from: &wire))
    case 1, 2:
      let format = try ImageFormat(from: &wire)
      let (fitting, rules) = (try Fitting(from: &wire), try DecodeRules(from: &wire))
      self = kind == 1 ? .decode(format, fitting, rules) : .decodePrefix(format, fitting, rules)
    case 3: self = .frames(try Movie(from: &wire))
    case 4:
      self = .compose(
        player: try wire.number(),
        try Movie(from: &wire),
        opens: try Bool(from: &wire),
        frame: try wire.number(),
        try Fitting(from: &wire)
      )
    default: throw WireReader.Garbled()
    }
  }
}

extension DecoderResponse: Wired {
  func write(to wire: inout WireWriter) {
    switch self {
    case .info(let info):
      wire.add(0)
      info.write(to: &wire)
    case .picture(let picture):
      wire.add(1)
      picture.size.write(to: &wire)
      picture.format.write(to: &wire)
      (picture.profile != nil).write(to: &wire)
      if let profile = picture.profile { wire.add(profile) }
      picture.notes.write(to: &wire)
    case .none: wire.add(2)
    case .frames(let info):
      wire.add(3)
      info.write(to: &wire)
    case .failed(let error):
      wire.add(4)
      error.write(to: &wire)
    case .notOpen: wire.add(5)
    }
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    switch try wire.number() {
    case 0: self = .info(try ImageInfo(from: &wire))
    case 1:
      let (size, format) = (try PixelSize(from: &wire), try PixelFormat(from: &wire))
      let profile = try Bool(from: &wire) ? try wire.bytes(count: wire.nonNegative()) : nil
      self = .picture(
        Picture(
          size: size,
          format: format,
          profile: profile,
          notes: try [DecodeNote](from: &wire)
        )
      )
    case 2: self = .none
    case 3: self = .frames(try AnimationInfo(from: &wire))
    case 4: self = .failed(try DecodeError(from: &wire))
    case 5: self = .notOpen
    default: throw WireReader.Garbled()
    }
  }
}

/// What the channel carries for each message: where in the shared memory it lies.
struct Packet {
  /// The encoded ``DecoderRequest`` or ``DecoderResponse``, from the start.
  var messageBytes: Int
  /// The file, or pixels that did not come as memory of their own.
  var payloadOffset = 0
  var payloadBytes = 0
  /// How large the memory is by now.
  var memoryBytes: Int

  static let byteCount = 32
}
