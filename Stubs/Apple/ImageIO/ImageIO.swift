public import CoreFoundation
public import CoreGraphics

// https://developer.apple.com/documentation/imageio/cgimagesource · macOS 10.8, iOS 4.0
public final class CGImageSource {}

// https://developer.apple.com/documentation/imageio/cgimagesourcestatus · macOS 10.8, iOS 4.0
public enum CGImageSourceStatus: Int32, Sendable {
  case statusUnexpectedEOF = -5
  case statusInvalidData, statusUnknownType, statusReadingHeader, statusIncomplete, statusComplete
}

// https://developer.apple.com/documentation/imageio/cgimagesourcecopytypeidentifiers() · macOS 10.4, iOS 4.0 ?
public func CGImageSourceCopyTypeIdentifiers() -> CFArray { fatalError() }

// https://developer.apple.com/documentation/imageio/cgimagesourcecreatewithdata(_:_:) · macOS 10.4, iOS 4.0 ?
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? { nil }

// https://developer.apple.com/documentation/imageio/cgimagesourcecreateincremental(_:) · macOS 10.4, iOS 4.0
public func CGImageSourceCreateIncremental(_ options: CFDictionary?) -> CGImageSource { fatalError() }

// https://developer.apple.com/documentation/imageio/cgimagesourceupdatedata(_:_:_:) · macOS 10.4, iOS 4.0
public func CGImageSourceUpdateData(_ isrc: CGImageSource, _ data: CFData, _ final: Bool) {}

// https://developer.apple.com/documentation/imageio/cgimagesourcegettype(_:) · macOS 10.4, iOS 4.0 ?
public func CGImageSourceGetType(_ isrc: CGImageSource) -> CFString? { nil }

// https://developer.apple.com/documentation/imageio/cgimagesourcegetcount(_:) · macOS 10.4, iOS 4.0 ?
public func CGImageSourceGetCount(_ isrc: CGImageSource) -> Int { 0 }

// https://developer.apple.com/documentation/imageio/cgimagesourcegetprimaryimageindex(_:) · macOS 10.14, iOS 12.0 ?
public func CGImageSourceGetPrimaryImageIndex(_ isrc: CGImageSource) -> Int { 0 }

// https://developer.apple.com/documentation/imageio/cgimagesourcegetstatus(_:) · macOS 10.4, iOS 4.0
public func CGImageSourceGetStatus(_ isrc: CGImageSource) -> CGImageSourceStatus { .statusComplete }

// https://developer.apple.com/documentation/imageio/cgimagesourcegetstatusatindex(_:_:) · macOS 10.4, iOS 4.0
public func CGImageSourceGetStatusAtIndex(_ isrc: CGImageSource, _ index: Int) -> CGImageSourceStatus { .statusComplete }

// https://developer.apple.com/documentation/imageio/cgimagesourcecopyproperties(_:_:) · macOS 10.4, iOS 4.0 ?
public func CGImageSourceCopyProperties(_ isrc: CGImageSource, _ options: CFDictionary?) -> CFDictionary? { nil }

// https://developer.apple.com/documentation/imageio/cgimagesourcecopypropertiesatindex(_:_:_:) · macOS 10.4, iOS 4.0 ?
public func CGImageSourceCopyPropertiesAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? { nil }

// https://developer.apple.com/documentation/imageio/cgimagesourcecreatethumbnailatindex(_:_:_:) · macOS 10.4, iOS 4.0 ?
public func CGImageSourceCreateThumbnailAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? { nil }

// https://developer.apple.com/documentation/imageio/kcgimagesourceshouldcache · macOS 10.4, iOS 4.0 ?
public var kCGImageSourceShouldCache: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagesourcecreatethumbnailfromimagealways · macOS 10.4, iOS 4.0 ?
public var kCGImageSourceCreateThumbnailFromImageAlways: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagesourcecreatethumbnailwithtransform · macOS 10.4, iOS 4.0 ?
public var kCGImageSourceCreateThumbnailWithTransform: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagesourcethumbnailmaxpixelsize · macOS 10.4, iOS 4.0 ?
public var kCGImageSourceThumbnailMaxPixelSize: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagesourcedecoderequest · macOS 14.0, iOS 17.0
public var kCGImageSourceDecodeRequest: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagesourcedecodetosdr · macOS 14.0, iOS 17.0 ?
public var kCGImageSourceDecodeToSDR: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertypixelwidth · macOS 10.4, iOS 4.0 ?
public var kCGImagePropertyPixelWidth: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertypixelheight · macOS 10.4, iOS 4.0 ?
public var kCGImagePropertyPixelHeight: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertyorientation · macOS 10.4, iOS 4.0 ?
public var kCGImagePropertyOrientation: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertyhasalpha · macOS 10.4, iOS 4.0 ?
public var kCGImagePropertyHasAlpha: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertydepth · macOS 10.4, iOS 4.0 ?
public var kCGImagePropertyDepth: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertygifdictionary · macOS 10.4, iOS 4.0 ?
public var kCGImagePropertyGIFDictionary: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertygifdelaytime · macOS 10.4, iOS 4.0 ?
public var kCGImagePropertyGIFDelayTime: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertygifloopcount · macOS 10.4, iOS 4.0 ?
public var kCGImagePropertyGIFLoopCount: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertypngdictionary · macOS 10.4, iOS 4.0 ?
public var kCGImagePropertyPNGDictionary: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertyjfifdictionary · macOS 10.4, iOS 4.0 ?
public var kCGImagePropertyJFIFDictionary: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertyjfifisprogressive · macOS 10.4, iOS 4.0 ?
public var kCGImagePropertyJFIFIsProgressive: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertypnginterlacetype · macOS 10.4, iOS 4.0 ?
public var kCGImagePropertyPNGInterlaceType: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertygifunclampeddelaytime · macOS 10.7, iOS 4.0 ?
public var kCGImagePropertyGIFUnclampedDelayTime: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertyapngunclampeddelaytime · macOS 10.10, iOS 8.0 ?
public var kCGImagePropertyAPNGUnclampedDelayTime: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertyapngdelaytime · macOS 10.10, iOS 8.0 ?
public var kCGImagePropertyAPNGDelayTime: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertyapngloopcount · macOS 10.10, iOS 8.0 ?
public var kCGImagePropertyAPNGLoopCount: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertywebpdictionary · macOS 11.0, iOS 14.0 ?
public var kCGImagePropertyWebPDictionary: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertywebpunclampeddelaytime · macOS 11.0, iOS 14.0 ?
public var kCGImagePropertyWebPUnclampedDelayTime: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertywebpdelaytime · macOS 11.0, iOS 14.0 ?
public var kCGImagePropertyWebPDelayTime: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertywebploopcount · macOS 11.0, iOS 14.0
public var kCGImagePropertyWebPLoopCount: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertyheicsdictionary · macOS 10.15, iOS 13.0 ?
public var kCGImagePropertyHEICSDictionary: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertyheicsunclampeddelaytime · macOS 10.15, iOS 13.0
public var kCGImagePropertyHEICSUnclampedDelayTime: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertyheicsdelaytime · macOS 10.15, iOS 13.0 ?
public var kCGImagePropertyHEICSDelayTime: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertyheicsloopcount · macOS 10.15, iOS 13.0
public var kCGImagePropertyHEICSLoopCount: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/kcgimagepropertyavisdictionary · macOS 13.0, iOS 16.0 ?
public var kCGImagePropertyAVISDictionary: CFString { fatalError() }

// https://developer.apple.com/documentation/imageio/cgimagedestination · macOS 10.8, iOS 4.0
public final class CGImageDestination {}

// https://developer.apple.com/documentation/imageio/cgimagedestinationcreatewithdata(_:_:_:_:) · macOS 10.4, iOS 4.0 ?
public func CGImageDestinationCreateWithData(
  _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? { nil }

// https://developer.apple.com/documentation/imageio/cgimagedestinationaddimage(_:_:_:) · macOS 10.4, iOS 4.0 ?
public func CGImageDestinationAddImage(
  _ idst: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) {}

// https://developer.apple.com/documentation/imageio/cgimagedestinationfinalize(_:) · macOS 10.4, iOS 4.0
public func CGImageDestinationFinalize(_ idst: CGImageDestination) -> Bool { false }

// https://developer.apple.com/documentation/imageio/kcgimagedestinationlossycompressionquality · macOS 10.4, iOS 4.0 ?
public var kCGImageDestinationLossyCompressionQuality: CFString { fatalError() }
