import IkranCodecs
import IkranPixels

// Why a decoder could not decode.

extension BitmapError: Wired {
  func write(to wire: inout WireWriter) {
    switch self {
    case .invalidSize(let size):
      wire.add(0)
      size.write(to: &wire)
    case .outside(let region, let size):
      wire.add(1)
      region.write(to: &wire)
      size.write(to: &wire)
    case .outOfMemory(let bytes):
      wire.add(2)
      wire.add(bytes)
    case .lentMemoryTooSmall(let needed, let given):
      wire.add(3)
      wire.add(needed)
      wire.add(given)
    case .invalidHash(let kind):
      wire.add(4)
      kind.write(to: &wire)
    case .invalidAngle: wire.add(5)
    case .invalidEdge: wire.add(6)
    }
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    switch try wire.number() {
    case 0: self = .invalidSize(try PixelSize(from: &wire))
    case 1: self = .outside(try PixelRectangle(from: &wire), of: try PixelSize(from: &wire))
    case 2: self = .outOfMemory(bytes: try wire.number())
    case 3: self = .lentMemoryTooSmall(needed: try wire.number(), given: try wire.number())
    case 4: self = .invalidHash(try String(from: &wire))
    case 5: self = .invalidAngle
    case 6: self = .invalidEdge
    default: throw WireReader.Garbled()
    }
  }
}

extension DecodeError: Wired {
  func write(to wire: inout WireWriter) {
    switch self {
    case .empty: wire.add(0)
    case .unknownFormat(let hint):
      wire.add(1)
      hint.write(to: &wire)
    case .truncated(let format, let offset):
      wire.add(2)
      format.write(to: &wire)
      wire.add(offset)
    case .malformed(let format, let offset, let reason):
      wire.add(3)
      format.write(to: &wire)
      wire.add(offset)
      reason.write(to: &wire)
    case .overLimit(let kind, let value, let limit):
      wire.add(4)
      kind.write(to: &wire)
      wire.add(value)
      wire.add(limit)
    case .unsupported(let format, let feature):
      wire.add(5)
      format.write(to: &wire)
      feature.write(to: &wire)
    case .bitmap(let error):
      wire.add(6)
      error.write(to: &wire)
    case .isolated(let format, let failure):
      wire.add(7)
      format.write(to: &wire)
      "\(failure)".write(to: &wire)
    case .noPage(let format, let page, let count):
      wire.add(8)
      format.write(to: &wire)
      wire.add(page)
      wire.add(count)
    }
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    switch try wire.number() {
    case 0: self = .empty
    case 1: self = .unknownFormat(hint: try String?(from: &wire))
    case 2: self = .truncated(try ImageFormat(from: &wire), offset: try wire.number())
    case 3:
      self = .malformed(
        try ImageFormat(from: &wire),
        offset: try wire.number(),
        reason: try String(from: &wire)
      )
    case 4:
      self = .overLimit(
        try DecodeLimit(from: &wire),
        value: try wire.number(),
        limit: try wire.number()
      )
    case 5: self = .unsupported(try ImageFormat(from: &wire), feature: try String(from: &wire))
    case 6: self = .bitmap(try BitmapError(from: &wire))
    case 8:
      self = .noPage(try ImageFormat(from: &wire), try wire.number(), count: try wire.number())
    // A decoder has no decoders of its own.
    default: throw WireReader.Garbled()
    }
  }
}
