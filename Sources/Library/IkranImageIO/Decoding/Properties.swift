import CoreFoundation
import Foundation
import IkranCodecs
import ImageIO

/// A dictionary of what ImageIO says of a picture, or of a file.
struct Properties {
  private let dictionary: NSDictionary

  init(_ dictionary: CFDictionary) { self.dictionary = dictionary as NSDictionary }

  func integer(_ key: CFString) -> Int? { number(key)?.intValue }

  func flag(_ key: CFString) -> Bool? { number(key)?.boolValue }

  /// How long the picture is shown, in milliseconds; nil for none of an animation.
  var duration: Int? {
    for keys in SequenceKeys.all {
      guard let times = part(keys.dictionary) else { continue }
      let unclamped = times.number(keys.unclampedDelay)?.doubleValue
      let clamped = times.number(keys.delay)?.doubleValue
      let time = FrameTiming.milliseconds(unclamped: unclamped, clamped: clamped)
      if let time { return time }
    }
    return nil
  }

  /// The loop count of the file.
  var loops: Int? {
    SequenceKeys.all.lazy.compactMap { part($0.dictionary)?.integer($0.loops) }.first
  }

  /// Whether the pixels arrive in passes: a progressive JPEG, or an interlaced PNG.
  var hasPasses: Bool {
    if part(kCGImagePropertyJFIFDictionary)?.flag(kCGImagePropertyJFIFIsProgressive) == true {
      return true
    }
    let interlace = part(kCGImagePropertyPNGDictionary)?.integer(kCGImagePropertyPNGInterlaceType)
    return interlace ?? 0 != 0
  }

  private func part(_ key: CFString) -> Properties? {
    let found = dictionary.object(forKey: key as NSString) as? NSDictionary
    return found.map { Properties($0 as CFDictionary) }
  }

  private func number(_ key: CFString) -> NSNumber? {
    dictionary.object(forKey: key as NSString) as? NSNumber
  }
}

/// The keys of a format's animations.
private struct SequenceKeys {
  let dictionary: CFString
  let unclampedDelay: CFString
  let delay: CFString
  let loops: CFString

  /// GIF, APNG, WebP, and sequences of HEIC and AVIF.
  static var all: [SequenceKeys] {
    [
      SequenceKeys(
        dictionary: kCGImagePropertyGIFDictionary,
        unclampedDelay: kCGImagePropertyGIFUnclampedDelayTime,
        delay: kCGImagePropertyGIFDelayTime,
        loops: kCGImagePropertyGIFLoopCount
      ),
      SequenceKeys(
        dictionary: kCGImagePropertyPNGDictionary,
        unclampedDelay: kCGImagePropertyAPNGUnclampedDelayTime,
        delay: kCGImagePropertyAPNGDelayTime,
        loops: kCGImagePropertyAPNGLoopCount
      ),
      SequenceKeys(
        dictionary: kCGImagePropertyWebPDictionary,
        unclampedDelay: kCGImagePropertyWebPUnclampedDelayTime,
        delay: kCGImagePropertyWebPDelayTime,
        loops: kCGImagePropertyWebPLoopCount
      ),
      heic(kCGImagePropertyHEICSDictionary),
      heic(kCGImagePropertyAVISDictionary),
    ]
  }

  /// AVIF's sequences have the keys of HEIC's.
  private static func heic(_ dictionary: CFString) -> SequenceKeys {
    SequenceKeys(
      dictionary: dictionary,
      unclampedDelay: kCGImagePropertyHEICSUnclampedDelayTime,
      delay: kCGImagePropertyHEICSDelayTime,
      loops: kCGImagePropertyHEICSLoopCount
    )
  }
}
