import CoreGraphics
import Foundation
import IkranCodecs
import IkranPixels
import ImageIO

/// A `CGImageSource` and what it says; one thread uses it at a time.
struct ImageIOSource {
  private let source: CGImageSource
  private let byteCount: Int

  /// Opens a file, or a prefix of one: all bytes that are there, which are copied, as ImageIO may
  /// read them as long as the source lives.
  ///
  /// - Throws: ``/IkranCodecs/DecodeError``.
  init(_ bytes: Span<UInt8>, isWhole: Bool = true) throws(DecodeError) {
    self = try ImageIOSource(ImageIOData(bytes), isWhole: isWhole)
  }

  /// Opens a file, or a prefix of one, without another copy.
  ///
  /// - Throws: ``/IkranCodecs/DecodeError``.
  init(_ data: ImageIOData, isWhole: Bool) throws(DecodeError) {
    byteCount = data.count
    let options = ImageIOOptions.source.dictionary
    if isWhole {
      guard let source = CGImageSourceCreateWithData(data.data, options) else {
        throw .unknownFormat(hint: nil)
      }
      self.source = source
    } else {
      source = CGImageSourceCreateIncremental(options)
      CGImageSourceUpdateData(source, data.data, false)
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
    for index in 0..<count {
      guard let duration = properties(at: index)?.duration else { break }
      facts.durations.append(duration)
    }
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

/// A copy of a file for ImageIO, which any number of sources read.
///
/// Isolation: nothing changes it, so any thread may read it.
struct ImageIOData: @unchecked Sendable {  // a `CFData` is immutable
  let count: Int
  fileprivate let data: CFData

  /// Copies the bytes of a file.
  ///
  /// - Throws: ``/IkranCodecs/DecodeError/empty``.
  init(_ bytes: Span<UInt8>) throws(DecodeError) {
    let data = bytes.withUnsafeBufferPointer { bytes in
      bytes.isEmpty ? nil : CFDataCreate(nil, bytes.baseAddress, bytes.count)
    }
    guard let data else { throw .empty }
    (self.data, count) = (data, bytes.count)
  }
}
