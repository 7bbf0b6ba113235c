import IkranCodecs
import IkranPixels

// What is asked of a decoder: sizes, rules and formats.

extension ImageFormat: Wired {}
extension ColorHandling: Wired {}
extension Orientation: Wired {}
extension PixelFormat: Wired {}
extension DecodeLimit: Wired {}

extension PixelSize: Wired {
  func write(to wire: inout WireWriter) {
    wire.add(width)
    wire.add(height)
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    self.init(width: try wire.number(), height: try wire.number())
  }
}

extension PixelRectangle: Wired {
  func write(to wire: inout WireWriter) {
    wire.add(x)
    wire.add(y)
    size.write(to: &wire)
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    let (x, y, size) = (try wire.number(), try wire.number(), try PixelSize(from: &wire))
    self.init(x: x, y: y, width: size.width, height: size.height)
  }
}

extension Fitting: Wired {
  func write(to wire: inout WireWriter) {
    switch self {
    case .original: wire.add(0)
    case .cover(let size):
      wire.add(1)
      size.write(to: &wire)
    case .inside(let size, let enlarges):
      wire.add(2)
      size.write(to: &wire)
      enlarges.write(to: &wire)
    case .around(let size, let enlarges):
      wire.add(4)
      size.write(to: &wire)
      enlarges.write(to: &wire)
    case .region(let region, let size, let isolated):
      wire.add(3)
      region.write(to: &wire)
      size.write(to: &wire)
      isolated.write(to: &wire)
    }
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    switch try wire.number() {
    case 0: self = .original
    case 1: self = .cover(try PixelSize(from: &wire))
    case 2: self = .inside(try PixelSize(from: &wire), enlarges: try Bool(from: &wire))
    case 3:
      self = .region(
        try PixelRectangle(from: &wire),
        try PixelSize(from: &wire),
        isolated: try Bool(from: &wire)
      )
    case 4: self = .around(try PixelSize(from: &wire), enlarges: try Bool(from: &wire))
    default: throw WireReader.Garbled()
    }
  }
}

extension DecodeLimits: Wired {
  func write(to wire: inout WireWriter) {
    for limit in [
      maximumPixels, maximumDeclaredPixels, maximumDimension, maximumFrames,
      maximumAnimationPixels, maximumBytes,
    ] {
      wire.add(limit)
    }
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    self.init()
    maximumPixels = try wire.number()
    maximumDeclaredPixels = try wire.number()
    maximumDimension = try wire.number()
    maximumFrames = try wire.number()
    maximumAnimationPixels = try wire.number()
    maximumBytes = try wire.number()
  }
}

extension DecodeRules: Wired {
  func write(to wire: inout WireWriter) {
    limits.write(to: &wire)
    colors.write(to: &wire)
    acceptsCutFiles.write(to: &wire)
    scalesDownOverLimit.write(to: &wire)
    wire.add(page)
    usesThumbnails.write(to: &wire)
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    self.init(
      limits: try DecodeLimits(from: &wire),
      colors: try ColorHandling(from: &wire),
      acceptsCutFiles: try Bool(from: &wire),
      scalesDownOverLimit: try Bool(from: &wire),
      page: try wire.number()
    )
    usesThumbnails = try Bool(from: &wire)
  }
}
