#if JXL
import IkranPixels

/// What libjxl says of a file as a whole.
struct JXLInformation {
  /// As stored.
  var size: PixelSize
  /// The number that EXIF has for it, too.
  var orientation: Int
  var bits: Int
  var isGray: Bool
  var hasAlpha: Bool
  var isPremultiplied: Bool
  /// Channels that are neither colours nor alpha, which are decoded with them.
  var extraChannels: Int
  var isAnimation: Bool
  /// Milliseconds of a tick.
  var tick: Double
  /// How often the animation plays, 0 = forever.
  var plays: Int
}

/// What the headers of a JPEG XL file say (ISO/IEC 18181-1), and of its frames.
struct JXLHeader: Sendable {
  var info: ImageInfo
  /// Whether it may have several frames.
  let isAnimation: Bool
  /// Whether colours come out multiplied by their alpha.
  let isPremultiplied: Bool
  /// Milliseconds of a tick.
  private let tick: Double
  /// How often the animation plays, 0 = forever.
  let plays: Int
  /// The durations of the frames that are there.
  private(set) var durations: [Int] = []
  /// Whether all frames are there.
  private(set) var isComplete = false
  /// What is wrong after the last frame; nil when the bytes just end.
  private(set) var fault: DecodeError?
  /// What the pixels stand for that come out.
  private(set) var colors = FileColors()

  /// Whether samples of 16 bits are decoded, as bytes of PQ and HLG are coarse.
  ///
  /// Samples that are multiplied by their alpha have no table, and frames have none of their own.
  var isDeep: Bool {
    guard case .cicp(_, let transfer, _, _)? = colors.sources.first else { return false }
    return (transfer == 16 || transfer == 18) && !isPremultiplied && !isAnimation
  }

  /// More are no picture, and each takes as much memory as a colour.
  private static let mostExtraChannels = 4

  /// Reads the headers in `bytes`, and with `frames` those of all frames of an animation.
  ///
  /// - Throws: ``DecodeError``.
  init(_ bytes: Span<UInt8>, frames: Bool = true) throws(DecodeError) {
    var handle = try JXLHandle(decodes: false)
    let header: JXLHeader? = try handle.read(bytes) { (handle) throws(DecodeError) in
      switch handle.next() {
      case .information: break
      case .cut: throw .truncated(.jpegXL, offset: bytes.count)
      default: throw Self.nonsense
      }
      var header = try JXLHeader(handle.information())
      guard case .colors = handle.next() else { return header }
      let found = handle.colors(isGray: header.colors.model == .gray)
      (header.colors, header.info.hasICCProfile) = found
      return header
    }
    guard let header else { throw Self.nonsense }
    self = header
    if frames, isAnimation { try readFrames(bytes) }
  }

  private init(_ facts: JXLInformation) throws(DecodeError) {
    info = ImageInfo(format: .jpegXL, size: facts.size)
    info.orientation = Orientation(rawValue: UInt8(clamping: facts.orientation)) ?? .up
    info.hasAlpha = facts.hasAlpha
    info.bitsPerChannel = facts.bits
    isAnimation = facts.isAnimation
    isPremultiplied = facts.isPremultiplied
    (tick, plays) = (facts.tick, facts.plays)
    if facts.isGray { colors.model = .gray }
    guard facts.extraChannels <= Self.mostExtraChannels else {
      throw .unsupported(.jpegXL, feature: "more channels than a picture has")
    }
  }

  /// Reads the headers of the frames; one is there when what follows it has been reached.
  private mutating func readFrames(_ bytes: Span<UInt8>) throws(DecodeError) {
    // libjxl skips the data of the last frame even where it is not there: then it takes this byte.
    let padded = [UInt8](copying: bytes) + [0]
    var handle = try JXLHandle(decodes: true)
    var ticks: [Int] = []
    var event = JXLHandle.Event.cut
    try handle.read(padded.span) { (handle) throws(DecodeError) in
      repeat {
        event = handle.next()
        if event == .frame, let count = handle.ticks() { ticks.append(count) }
        if event == .output { handle.skipData() }
      } while [.frame, .information, .colors, .output].contains(event)
    }
    isComplete = event == .end && handle.unread > 0
    if event == .damage { fault = Self.nonsense }
    durations = ticks.dropLast(isComplete ? 0 : 1).map(milliseconds)
    info.frames = max(1, durations.count)
    guard info.isAnimated else { return }
    info.durations = durations
    info.loops = plays
  }

  private func milliseconds(_ ticks: Int) -> Int {
    let duration = (Double(ticks) * tick).rounded()
    return duration < 1e9 ? Int(duration) : 1_000_000_000
  }

  static var nonsense: DecodeError {
    .malformed(.jpegXL, offset: 0, reason: "its data makes no sense")
  }
}
#endif
