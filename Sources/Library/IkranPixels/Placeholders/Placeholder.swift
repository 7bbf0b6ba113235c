/// What is shown until an image is there.
public enum Placeholder: Sendable {
  /// One colour.
  case color(Color)
  /// A picture, resized to cover the place.
  case picture(Bitmap)
  /// What ``Bitmap/thumbHash(workspace:)`` made of the image: some 25 bytes.
  case thumbHash([UInt8])
  /// What ``Bitmap/blurHash(across:down:workspace:)`` made of the image: some 30 letters.
  case blurHash(String)

  /// The picture to show in a place of `size` pixels.
  ///
  /// Hashes are drawn small and resized, which is as good as drawing them large.
  ///
  /// - Throws: ``BitmapError`` when a hash is damaged, the size is impossible or memory runs out.
  public func bitmap(
    size: PixelSize,
    workspace: Workspace = Workspace()
  ) throws(BitmapError) -> Bitmap {
    switch self {
    case .color(let color): return try Bitmap(color, size: size)
    case .picture(let picture):
      return try picture.resampled(.cover(size), workspace: workspace)
    case .thumbHash(let bytes):
      return try Bitmap(thumbHash: bytes).resampled(.cover(size), workspace: workspace)
    case .blurHash(let text):
      let small = PixelSize(width: min(size.width, 32), height: min(size.height, 32))
      return try Bitmap(blurHash: text, size: small)
        .resampled(.cover(size), workspace: workspace)
    }
  }
}

extension Bitmap {
  /// A picture of one colour.
  ///
  /// - Throws: ``BitmapError`` when the size is impossible or memory runs out.
  public init(_ color: Color, size: PixelSize) throws(BitmapError) {
    var canvas = try Canvas(size: size, format: .bgra, zeroed: false)
    let alpha = UInt32(color.alpha)
    let pixel = [color.blue, color.green, color.red, 255].map { channel in
      UInt8((UInt32(channel) * alpha + 127) / 255)
    }
    canvas.withMutableBytes { bytes in
      for index in bytes.indices { bytes[index] = pixel[index & 3] }
    }
    self = canvas.finish()
  }
}
