import CoreFoundation
import Foundation
import ImageIO

extension ImageIOOptions {
  /// The dictionary for ImageIO.
  var dictionary: CFDictionary {
    let dictionary = NSMutableDictionary()
    for (key, value) in values {
      dictionary.setObject(value.object, forKey: key.constant as NSString)
    }
    return dictionary as CFDictionary
  }
}

extension ImageIOOptions.Key {
  fileprivate var constant: CFString {
    switch self {
    case .shouldCache: kCGImageSourceShouldCache
    case .thumbnailFromImageAlways: kCGImageSourceCreateThumbnailFromImageAlways
    case .thumbnailWithTransform: kCGImageSourceCreateThumbnailWithTransform
    case .thumbnailMaxPixelSize: kCGImageSourceThumbnailMaxPixelSize
    case .decodeRequest: kCGImageSourceDecodeRequest
    case .lossyCompressionQuality: kCGImageDestinationLossyCompressionQuality
    }
  }
}

extension ImageIOOptions.Value {
  fileprivate var object: Any {
    switch self {
    case .flag(let isOn): NSNumber(value: isOn)
    case .count(let count): NSNumber(value: count)
    case .share(let share): NSNumber(value: share)
    case .standardRange: kCGImageSourceDecodeToSDR as NSString
    }
  }
}
