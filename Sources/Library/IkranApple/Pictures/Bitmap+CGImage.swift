public import CoreGraphics
public import IkranPixels

// Decision 98: the memory of a bitmap is that of its CGImage.
extension Bitmap {
  /// The picture for Core Graphics, over the same memory; nil when Core Graphics refuses it or
  /// memory runs out.
  ///
  /// The image keeps the memory, and the object that owns it, for as long as it lives. Each call
  /// makes another image.
  ///
  /// Cost: none of the pixels are copied, but for two kinds of bitmaps: those in
  /// ``/IkranPixels/PixelFormat/bgr``, which become ``/IkranPixels/PixelFormat/bgrx``, and those in
  /// memory of another owner that ends with the last pixel, not with the last row.
  public var cgImage: CGImage? {
    // Without memory for a copy there is no image.
    guard let shared = try? shareable(), let layout = CoreGraphicsLayout(shared.format),
      let space = CGColorSpace.space(of: shared, layout), let provider = shared.provider
    else { return nil }
    return CGImage(
      width: width,
      height: height,
      bitsPerComponent: layout.bitsPerComponent,
      bitsPerPixel: layout.bitsPerPixel,
      bytesPerRow: shared.bytesPerRow,
      space: space,
      bitmapInfo: CGBitmapInfo(rawValue: layout.bitmapInfo),
      provider: provider,
      decode: nil,
      shouldInterpolate: true,
      intent: .defaultIntent
    )
  }

  /// The picture in memory that Core Graphics can read: this bitmap where that is possible.
  private func shareable() throws(BitmapError) -> Bitmap {
    let format = CoreGraphicsLayout.shared(for: format)
    guard format == self.format else { return try converted(to: format) }
    guard !hasWholeRows else { return self }
    var canvas = try Canvas(size: size, format: format)
    canvas.profile = profile
    canvas.draw(self, left: 0, top: 0)
    return canvas.finish()
  }

  /// The memory of all rows, and what keeps it.
  private var provider: CGDataProvider? {
    let owner = Unmanaged.passRetained(SharedPixels(self))
    let provider = withUnsafeBytes { bytes -> CGDataProvider? in
      guard let start = bytes.baseAddress else { return nil }
      // The memory neither moves nor changes while the bitmap is retained.
      return CGDataProvider(
        dataInfo: owner.toOpaque(),
        data: start,
        size: byteCount,
        releaseData: { info, _, _ in
          guard let info else { return }
          Unmanaged<SharedPixels>.fromOpaque(info).release()
        }
      )
    }
    if provider == nil { owner.release() }
    return provider
  }
}

/// Keeps a bitmap's memory for a `CGDataProvider`.
private final class SharedPixels: Sendable {
  private let bitmap: Bitmap

  init(_ bitmap: Bitmap) { self.bitmap = bitmap }
}

extension CGColorSpace {
  /// What a bitmap's colours stand for; a profile that Core Graphics refuses counts as none.
  fileprivate static func space(of bitmap: Bitmap, _ layout: CoreGraphicsLayout) -> CGColorSpace? {
    if let profile = bitmap.profile, layout.colorSpace == .sRGB {
      let bytes = profile.bytes
      let data = bytes.withUnsafeBufferPointer { CFDataCreate(nil, $0.baseAddress, $0.count) }
      if let data, let space = CGColorSpace(iccData: data) { return space }
    }
    return switch layout.colorSpace {
    case .sRGB: CGColorSpace(name: CGColorSpace.sRGB)
    case .grayGamma22: CGColorSpace(name: CGColorSpace.genericGrayGamma2_2)
    }
  }
}
