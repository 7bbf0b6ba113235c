public import CoreGraphics
public import IkranPixels

extension Bitmap {
  /// The pixels of a `CGImage`, drawn once, in sRGB.
  ///
  /// The bitmap is ``/IkranPixels/PixelFormat/bgra``, premultiplied, when the image may have
  /// transparent pixels, and ``/IkranPixels/PixelFormat/bgrx`` when it has none. An image that is
  /// not decoded yet is decoded here, on this thread.
  ///
  /// - Throws: ``/IkranPixels/BitmapError`` when memory runs out.
  public init(drawing image: CGImage) throws(BitmapError) {
    try self.init(drawing: image, colors: .converted)
  }

  /// The pixels of a `CGImage`, drawn once.
  ///
  /// Colours that are not red, green and blue are converted to sRGB in any case.
  ///
  /// - Throws: ``/IkranPixels/BitmapError`` when memory runs out.
  package init(drawing image: CGImage, colors: DrawnColors) throws(BitmapError) {
    let size = PixelSize(width: image.width, height: image.height)
    let hasAlpha = CoreGraphicsLayout.hasAlpha(image.alphaInfo.rawValue)
    var canvas = try Canvas(size: size, format: hasAlpha ? .bgra : .bgrx)
    let own = colors == .converted ? nil : image.colorSpace.flatMap { $0.model == .rgb ? $0 : nil }
    if colors == .withProfile { canvas.profile = own?.colorProfile }
    guard let space = own ?? CGColorSpace(name: CGColorSpace.sRGB), canvas.draw(image, in: space)
    else { throw .outOfMemory(bytes: canvas.bytesPerRow * size.height) }
    self = canvas.finish()
  }
}

extension Canvas {
  /// Draws an image over all of a canvas of its size; false when Core Graphics refuses that.
  fileprivate mutating func draw(_ image: CGImage, in space: CGColorSpace) -> Bool {
    guard let layout = CoreGraphicsLayout(format) else { return false }
    let (size, format, bytesPerRow) = (size, format, bytesPerRow)
    return withUnsafeMutableBytes { bytes in
      let context = CGContext(
        data: bytes.baseAddress,
        width: size.width,
        height: size.height,
        bitsPerComponent: layout.bitsPerComponent,
        bytesPerRow: bytesPerRow,
        space: space,
        bitmapInfo: layout.bitmapInfo
      )
      guard let context else { return false }
      context.draw(image, in: CGRect(x: 0, y: 0, width: size.width, height: size.height))
      // What Core Graphics leaves in the byte that it skips is not documented.
      if !format.hasAlpha { makeOpaque(bytes, size, bytesPerRow: bytesPerRow) }
      return true
    }
  }
}

extension CGColorSpace {
  /// The profile that describes the space; nil for one that has none.
  fileprivate var colorProfile: ColorProfile? {
    guard let data = copyICCData() else { return nil }
    let bytes = UnsafeBufferPointer(start: CFDataGetBytePtr(data), count: CFDataGetLength(data))
    return bytes.isEmpty ? nil : ColorProfile([UInt8](bytes))
  }
}
