@_exported import CoreFoundation

// https://developer.apple.com/documentation/coregraphics/cgdataproviderreleasedatacallback · macOS 10.0, iOS 2.0 ?
public typealias CGDataProviderReleaseDataCallback =
  @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void

// https://developer.apple.com/documentation/coregraphics/cgdataprovider · macOS 10.0, iOS 2.0
public final class CGDataProvider: @unchecked Sendable {
  // https://developer.apple.com/documentation/coregraphics/cgdataprovider/init(datainfo:data:size:releasedata:) · macOS 10.0, iOS 2.0
  public init?(
    dataInfo info: UnsafeMutableRawPointer?,
    data: UnsafeRawPointer,
    size: Int,
    releaseData: CGDataProviderReleaseDataCallback
  ) {}
}

// https://developer.apple.com/documentation/coregraphics/cgcolorspace · macOS 10.0, iOS 2.0
public final class CGColorSpace: @unchecked Sendable {
  // https://developer.apple.com/documentation/coregraphics/cgcolorspace/init(name:) · macOS 10.2, iOS 2.0
  public init?(name: CFString) {}

  // https://developer.apple.com/documentation/coregraphics/cgcolorspace/srgb · macOS 10.5, iOS 9.0 ?
  public static var sRGB: CFString { fatalError() }

  // https://developer.apple.com/documentation/coregraphics/cgcolorspace/genericgraygamma2_2 · macOS 10.6, iOS 9.0 ?
  public static var genericGrayGamma2_2: CFString { fatalError() }

  // https://developer.apple.com/documentation/coregraphics/cgcolorspace/init(iccdata:) · macOS 10.12, iOS 10.0
  public init?(iccData data: CFTypeRef) {}

  // https://developer.apple.com/documentation/coregraphics/cgcolorspace/copyiccdata() · macOS 10.12, iOS 10.0 ?
  public func copyICCData() -> CFData? { nil }

  // https://developer.apple.com/documentation/coregraphics/cgcolorspace/model · macOS 10.5, iOS 2.0 ?
  public var model: CGColorSpaceModel { .unknown }
}

// https://developer.apple.com/documentation/coregraphics/cgcolorspacemodel · macOS 10.5, iOS 2.0 ?
public enum CGColorSpaceModel: Int32, Sendable {
  case unknown = -1
  case monochrome, rgb
}

// https://developer.apple.com/documentation/coregraphics/cgimagealphainfo · macOS 10.0, iOS 2.0 ?
public enum CGImageAlphaInfo: UInt32, Sendable {
  case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

// https://developer.apple.com/documentation/coregraphics/cgbitmapinfo · macOS 10.0, iOS 2.0
public struct CGBitmapInfo: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

// https://developer.apple.com/documentation/coregraphics/cgcolorrenderingintent · macOS 10.0, iOS 2.0 ?
public enum CGColorRenderingIntent: Int32, Sendable {
  case defaultIntent
}

// https://developer.apple.com/documentation/coregraphics/cgimage · macOS 10.0, iOS 2.0 ?
public final class CGImage: @unchecked Sendable {
  // https://developer.apple.com/documentation/coregraphics/cgimage/init(width:height:bitspercomponent:bitsperpixel:bytesperrow:space:bitmapinfo:provider:decode:shouldinterpolate:intent:) · macOS 10.0, iOS 2.0
  public init?(
    width: Int,
    height: Int,
    bitsPerComponent: Int,
    bitsPerPixel: Int,
    bytesPerRow: Int,
    space: CGColorSpace,
    bitmapInfo: CGBitmapInfo,
    provider: CGDataProvider,
    decode: UnsafePointer<CGFloat>?,
    shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {}

  // https://developer.apple.com/documentation/coregraphics/cgimage/width · macOS 10.0, iOS 2.0 ?
  public var width: Int { 0 }

  // https://developer.apple.com/documentation/coregraphics/cgimage/height · macOS 10.0, iOS 2.0 ?
  public var height: Int { 0 }

  // https://developer.apple.com/documentation/coregraphics/cgimage/alphainfo · macOS 10.0, iOS 2.0 ?
  public var alphaInfo: CGImageAlphaInfo { .none }

  // https://developer.apple.com/documentation/coregraphics/cgimage/colorspace · macOS 10.0, iOS 2.0 ?
  public var colorSpace: CGColorSpace? { nil }
}

// https://developer.apple.com/documentation/coregraphics/cgcontext · macOS 10.0, iOS 2.0 ?
public final class CGContext {
  // https://developer.apple.com/documentation/coregraphics/cgcontext/init(data:width:height:bitspercomponent:bytesperrow:space:bitmapinfo:) · macOS 10.0, iOS 2.0 ?
  public init?(
    data: UnsafeMutableRawPointer?,
    width: Int,
    height: Int,
    bitsPerComponent: Int,
    bytesPerRow: Int,
    space: CGColorSpace,
    bitmapInfo: UInt32
  ) {}

  // https://developer.apple.com/documentation/coregraphics/cgcontext/draw(_:in:bytiling:) · macOS 10.9, iOS 7.0
  public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {}
}
