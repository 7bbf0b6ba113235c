import IkranCodecs
import IkranPixels

// What a decoder says of a file.

extension PixelSize {
  /// Whether numbers that are computed of it fit an `Int`.
  var canBeStored: Bool { isPositive && max(width, height) <= Int(Int32.max) }
}

extension ImageInfo: Wired {
  func write(to wire: inout WireWriter) {
    format.write(to: &wire)
    size.write(to: &wire)
    orientation.write(to: &wire)
    wire.add(frames)
    durations.write(to: &wire)
    loops.write(to: &wire)
    hasAlpha.write(to: &wire)
    wire.add(bitsPerChannel)
    hasICCProfile.write(to: &wire)
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    self.init(format: try ImageFormat(from: &wire), size: try PixelSize(from: &wire))
    orientation = try Orientation(from: &wire)
    frames = try wire.nonNegative()
    durations = try [Int](from: &wire)
    loops = try Int?(from: &wire)
    hasAlpha = try Bool(from: &wire)
    bitsPerChannel = try wire.nonNegative()
    hasICCProfile = try Bool(from: &wire)
    guard size.canBeStored, frames > 0, (loops ?? 0) >= 0, durations.allSatisfy({ $0 >= 0 }) else {
      throw WireReader.Garbled()
    }
  }
}

extension AnimationInfo.Frame: Wired {
  func write(to wire: inout WireWriter) {
    // No frame is shown for weeks.
    wire.add(min(duration, Int(Int32.max) >> 2) << 2 | (isKey ? 2 : 0) | (isBase ? 1 : 0))
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    let bits = try wire.nonNegative()
    self.init(duration: bits >> 2, isKey: bits & 2 != 0, isBase: bits & 1 != 0)
  }
}

extension AnimationInfo: Wired {
  func write(to wire: inout WireWriter) {
    format.write(to: &wire)
    size.write(to: &wire)
    orientation.write(to: &wire)
    hasAlpha.write(to: &wire)
    frames.write(to: &wire)
    plays.write(to: &wire)
    switch end {
    case .complete: wire.add(0)
    case .arriving: wire.add(1)
    case .broken(let error):
      wire.add(2)
      error.write(to: &wire)
    }
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    let (format, size) = (try ImageFormat(from: &wire), try PixelSize(from: &wire))
    let orientation = try Orientation(from: &wire)
    self.init(
      format: format,
      size: size,
      hasAlpha: try Bool(from: &wire),
      frames: try [Frame](from: &wire),
      plays: try Int?(from: &wire)
    )
    self.orientation = orientation
    switch try wire.number() {
    case 0: end = .complete
    case 1: end = .arriving
    case 2: end = .broken(try DecodeError(from: &wire))
    default: throw WireReader.Garbled()
    }
    // What plays it counts on a frame, and on a size.
    guard !frames.isEmpty, size.canBeStored, (plays ?? 1) > 0 else { throw WireReader.Garbled() }
  }
}

extension DecodeNote: Wired {
  func write(to wire: inout WireWriter) {
    switch self {
    case .profileIgnored(let reason):
      wire.add(0)
      reason.write(to: &wire)
    case .checksumWrong: wire.add(1)
    case .cut(let rows, let height):
      wire.add(2)
      wire.add(rows)
      wire.add(height)
    case .framesMissing(let count, let isCut):
      wire.add(3)
      wire.add(count)
      isCut.write(to: &wire)
    case .scaledDown(let size):
      wire.add(4)
      size.write(to: &wire)
    }
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    switch try wire.number() {
    case 0: self = .profileIgnored(reason: try String(from: &wire))
    case 1: self = .checksumWrong
    case 2: self = .cut(rows: try wire.number(), height: try wire.number())
    case 3: self = .framesMissing(after: try wire.number(), isCut: try Bool(from: &wire))
    case 4: self = .scaledDown(from: try PixelSize(from: &wire))
    default: throw WireReader.Garbled()
    }
  }
}
