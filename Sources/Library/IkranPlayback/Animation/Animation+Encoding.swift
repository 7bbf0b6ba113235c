public import IkranCodecs
import IkranPixels

extension Animation {
  /// The frames in the animation's style, in an animated file: GIF, PNG or WebP.
  ///
  /// The file has the frames that have arrived, with their durations, and plays as often as this
  /// animation's file. GIF rounds durations to hundredths of a second, none below 20 ms.
  ///
  /// Cost: composes every frame once, one after the other on the store's threads, and keeps the
  /// file and a few frames; frames that players have are neither used nor released.
  ///
  /// Cancellation: the call returns at once; a frame that has been started is finished.
  ///
  /// - Throws: ``PlaybackError``: ``PlaybackError/encode(_:)`` for a format without animations, a
  ///   size that the format cannot store, and frames of several sizes;
  ///   ``PlaybackError/decode(_:)`` when a frame is damaged or the file breaks off.
  public func encoded(as encoding: ImageEncoding) async throws(PlaybackError) -> [UInt8] {
    let reader = FrameReader(self)
    if case .broken(let error) = reader.info.end { throw .decode(error) }
    let (file, fault) = try await reader.file(as: encoding)
    if let fault { throw fault }
    return file
  }

  /// The same of a file that is damaged or breaks off: the frames before that, and the error.
  ///
  /// - Throws: ``PlaybackError``, also when no frame can be decoded.
  package func encodedUntilFault(
    as encoding: ImageEncoding
  ) async throws(PlaybackError) -> (file: [UInt8], fault: PlaybackError?) {
    let reader = FrameReader(self)
    let (file, fault) = try await reader.file(as: encoding)
    if fault == nil, case .broken(let error) = reader.info.end { return (file, .decode(error)) }
    return (file, fault)
  }
}

extension FrameReader {
  /// Encodes the frames up to the first that is damaged.
  fileprivate func file(
    as encoding: ImageEncoding
  ) async throws(PlaybackError) -> (file: [UInt8], fault: PlaybackError?) {
    let file = FrameFile(info, encoding)
    do throws(PlaybackError) {
      while true {
        let whole = try await read(file.count) { frame in
          Result { () throws(PlaybackError) in try file.add(frame) }
        }
        if let whole { return (whole, nil) }
      }
    } catch {
      guard case .decode = error, file.count > 0 else { throw error }
      return (try file.finish(), error)
    }
  }
}

/// A file that gets its frames one after the other.
private final class FrameFile: @unchecked Sendable {  // the reader's jobs end before the next one
  private let info: AnimationInfo
  private let encoding: ImageEncoding
  private var encoder: AnimationEncoder?
  private var hasAlpha: Bool
  /// How many frames it has.
  private(set) var count = 0

  init(_ info: AnimationInfo, _ encoding: ImageEncoding) {
    (self.info, self.encoding) = (info, encoding)
    hasAlpha = info.hasAlpha
  }

  /// Adds the next frame, or starts again with the first; returns the file after the last.
  func add(_ frame: Bitmap) throws(PlaybackError) -> [UInt8]? {
    if frame.format.hasAlpha, !hasAlpha {
      // A style's edges, or pixels that are missing in the file: some have to know from the start.
      hasAlpha = true
      if count > 0, encoding != .gif, encoding != .webpLossless {
        encoder = nil
        count = 0
        return nil
      }
    }
    do throws(EncodeError) {
      if encoder == nil { encoder = try makeEncoder(frame.size) }
      try encoder?.add(frame, duration: info.frames[count].duration)
    } catch { throw .encode(error) }
    count += 1
    return count == info.frames.count ? try finish() : nil
  }

  func finish() throws(PlaybackError) -> [UInt8] {
    guard let encoder else { return [] }
    do throws(EncodeError) { return try encoder.finish() } catch { throw .encode(error) }
  }

  private func makeEncoder(_ size: PixelSize) throws(EncodeError) -> AnimationEncoder {
    try AnimationEncoder(encoding, size: size, plays: info.plays, hasAlpha: hasAlpha)
  }
}
