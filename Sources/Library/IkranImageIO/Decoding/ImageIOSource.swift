import CoreGraphics
import Foundation
import IkranCodecs
import IkranPixels
import ImageIO

/// A `CGImageSource` and what it says; one thread uses it at a time.
struct ImageIOSource {
  private let source: CGImageSource
  private let byteCount: Int

  /// Opens a file, or the beginning of one: all bytes that are there, which are copied, as ImageIO
  /// may read them as long as the source lives.
  ///
  /// - Throws: ``/IkranCodecs/DecodeError``.
  init(_ bytes: Span<UInt8>, isWhole: Bool = true) throws(DecodeError) {
    self = try bytes.withUnsafeBufferPointer { (bytes) throws(DecodeError) in
      try ImageIOSource(copying: bytes, isWhole: isWhole)
    }
  }

  /// Opens a file, or the beginning of one, likewise.
  ///
  /// - Throws: ``/IkranCodecs/DecodeError``.
  init(_ bytes: [UInt8], isWhole: Bool = true) throws(DecodeError) {
    self = try bytes.withUnsafeBufferPointer { (bytes) throws(DecodeError) in
      try ImageIOSource(copying: bytes, isWhole: isWhole)
    }
  }

  private init(copying bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool) throws(DecodeError) {
    guard !bytes.isEmpty, let data = CFDataCreate(nil, bytes.baseAddress, bytes.count) else {
      throw .empty
    }
    byteCount = bytes.count
    let options = ImageIOOptions.source.dictionary
    if isWhole {
      guard let source = CGImageSourceCreateWithData(data, options) else {
        throw .unknownFormat(hint: nil)
      }
      self.source = source
    } else {
      source = CGImageSourceCreateIncremental(options)
      CGImageSourceUpdateData(source, data, false)
    }
  }

  /// The type that ImageIO recognizes.
  var type: String? { CGImageSourceGetType(source).map { String($0 as NSString) } }

  /// Why there is no picture.
  func error(_ format: ImageFormat) -> DecodeError {
    let status = SourceStatus(rawValue: CGImageSourceGetStatus(source).rawValue)
    return (status ?? .invalidData).error(format, byteCount: byteCount)
  }

  /// How far a picture has come.
  func status(at index: Int) -> SourceStatus {
    SourceStatus(rawValue: CGImageSourceGetStatusAtIndex(source, index).rawValue) ?? .invalidData
  }

  /// What the header says of all pictures.
  ///
  /// More of them than ``/IkranCodecs/DecodeLimits/maximumFrames`` are counted and not looked at.
  func facts(_ format: ImageFormat, limits: DecodeLimits) -> SourceFacts {
    let count = CGImageSourceGetCount(source)
    var facts = SourceFacts(format, count: count)
    facts.primary = CGImageSourceGetPrimaryImageIndex(source)
    guard count > 0, count <= limits.maximumFrames else { return facts }
    let durations = (0..<count).lazy.map { picture(at: $0).duration }
    facts.durations = Array(durations.prefix { $0 != nil }.compactMap(\.self))
    let all = CGImageSourceCopyProperties(source, nil).map { Properties($0) }
    facts.loops = all?.loops ?? properties(at: 0)?.loops
    return facts
  }

  /// What the header says of one picture.
  func picture(at index: Int) -> SourceFacts.Picture {
    var picture = SourceFacts.Picture()
    guard let said = properties(at: index) else { return picture }
    picture.width = said.integer(kCGImagePropertyPixelWidth)
    picture.height = said.integer(kCGImagePropertyPixelHeight)
    picture.orientation = said.integer(kCGImagePropertyOrientation)
    picture.hasAlpha = said.flag(kCGImagePropertyHasAlpha)
    picture.depth = said.integer(kCGImagePropertyDepth)
    picture.hasPasses = said.hasPasses
    picture.duration = said.duration
    return picture
  }

  /// Decodes a picture: upright, with a longer side of `longestSide` pixels at most.
  ///
  /// - Throws: ``/IkranCodecs/DecodeError``.
  func image(
    at index: Int,
    longestSide: Int,
    of format: ImageFormat
  ) throws(DecodeError) -> CGImage {
    let options = ImageIOOptions.picture(longestSide: longestSide).dictionary
    guard let image = CGImageSourceCreateThumbnailAtIndex(source, index, options) else {
      throw status(at: index).error(format, byteCount: byteCount)
    }
    return image
  }

  private func properties(at index: Int) -> Properties? {
    CGImageSourceCopyPropertiesAtIndex(source, index, nil).map { Properties($0) }
  }
}
