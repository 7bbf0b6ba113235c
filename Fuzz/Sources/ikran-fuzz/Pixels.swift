import Glibc
@testable import IkranCodecs
@testable import IkranPixels

/// Whether two results of decoding are the same picture or the same error.
func areSame(_ first: Result<Bitmap, DecodeError>, _ second: Result<Bitmap, DecodeError>) -> Bool {
  switch (first, second) {
  case (.success(let one), .success(let other)): areSame(one, other)
  case (.failure(let one), .failure(let other)): one == other
  default: false
  }
}

/// Whether all pixels and the format are the same.
func areSame(_ first: Bitmap, _ second: Bitmap) -> Bool {
  guard first.size == second.size, first.format == second.format else { return false }
  let row = first.width * first.format.bytesPerPixel
  return first.withUnsafeBytes { one in
    second.withUnsafeBytes { other in
      guard let one = one.baseAddress, let other = other.baseAddress else { return false }
      return (0..<first.height).allSatisfy { y in
        memcmp(one + y * first.bytesPerRow, other + y * second.bytesPerRow, row) == 0
      }
    }
  }
}

/// Whether both decoders left the file to a library, or drew the same picture.
func areSame(_ first: Bitmap?, _ second: Bitmap?) -> Bool {
  if let first, let second { return areSame(first, second) }
  return first == nil && second == nil
}

/// A workspace with or without vectors.
func workspace(usesSIMD: Bool) -> Workspace {
  let workspace = Workspace()
  workspace.usesSIMD = workspace.usesSIMD && usesSIMD
  return workspace
}

/// How pictures are fitted; `seed` chooses.
func fitting(_ seed: UInt32) -> Fitting {
  let sides = [1, 2, 3, 7, 24, 31, 48, 50, 64, 96, 200, 333]
  let size = PixelSize(
    width: sides[Int(seed >> 8) % sides.count],
    height: sides[Int(seed >> 16) % sides.count]
  )
  switch seed & 3 {
  case 0: return .inside(size)
  case 1: return .original
  default: return .cover(size)
  }
}

/// The FNV-1a hash of the last 64 bytes of an input.
func fnv1a(_ bytes: Input) -> UInt32 {
  bytes.suffix(64).reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
}

extension DecodeRules {
  /// Limits that keep one run short.
  static let fuzzing: DecodeRules = {
    var limits = DecodeLimits()
    limits.maximumPixels = 150_000
    limits.maximumFrames = 200
    limits.maximumAnimationPixels = 2_000_000
    return DecodeRules(limits: limits)
  }()
}

/// A picture of noise, opaque or with alpha of every strength.
func noisyPicture(_ size: PixelSize, _ seed: UInt32, isOpaque: Bool = false) -> Bitmap? {
  guard var canvas = try? Canvas(size: size, format: .bgra) else { return nil }
  canvas.withMutableBytes { bytes in
    for index in bytes.indices {
      let pixel = UInt32(truncatingIfNeeded: index / 4) &* (seed | 1)
      let alpha = isOpaque ? 255 : (pixel &* 2_246_822_519) >> 24 | 1
      let value = ((pixel ^ UInt32(index & 3)) &* 2_654_435_761) >> 24
      bytes[index] = UInt8(index % 4 == 3 ? alpha : value * alpha / 255)
    }
  }
  return canvas.finish()
}
