import FoundationEssentials
import Ikran

/// The frames of a file; a still has one.
final class Movie {
  struct Frame {
    let milliseconds: Int
    /// Whether decoding can begin there.
    let isKey: Bool
  }

  /// Of a composed frame, upright.
  let size: PixelSize
  let frames: [Frame]
  /// How often it plays, 0 for ever; nil for a still.
  let loops: Int?
  /// Why there are no more frames, when the file breaks off.
  let error: DecodeError?
  /// Nil for a still.
  let source: (any FrameSource)?

  private let name: String
  private let bytes: [UInt8]
  private let rules: DecodeRules
  /// Nil for a still.
  private let composer: (any FrameComposer)?
  private let workspace = Workspace(
    spareThreads: ProcessInfo.processInfo.activeProcessorCount - 1
  )

  /// Reads the headers.
  ///
  /// - Throws: ``ImageError`` that calls the file `name`.
  init(_ bytes: [UInt8], name: String, rules: DecodeRules = DecodeRules()) throws {
    (self.bytes, self.name, self.rules) = (bytes, name, rules)
    do throws(DecodeError) {
      source = try CodecList.isolatedStandard.frames(of: bytes, rules: rules)
      guard let source else {
        let info = try CodecList.isolatedStandard.probe(bytes.span)
        size = info.uprightSize
        frames = [Frame(milliseconds: 0, isKey: true)]
        (loops, error, composer) = (nil, nil, nil)
        return
      }
      let info = source.info
      size = info.uprightSize
      frames = info.frames.map { Frame(milliseconds: $0.duration, isKey: $0.isKey) }
      loops = info.plays ?? 0
      if case .broken(let reason) = info.end { error = reason } else { error = nil }
      composer = source.makeComposer()
    } catch {
      throw ImageError.decode(error, url: name)
    }
  }

  /// A still in a file format, or for nil as straight RGBA; with the colours that the file stores
  /// where nothing is resized.
  ///
  /// - Throws: ``ImageError`` and ``EncodeError``.
  func still(as encoding: ImageEncoding?, fitting: Fitting) throws -> [UInt8] {
    let (bytes, codecs) = (bytes, CodecList.isolatedStandard)
    guard let encoding else {
      do throws(DecodeError) {
        return try codecs.straightRGBA(
          bytes.span,
          fitting: fitting,
          rules: rules,
          workspace: workspace
        )
      } catch {
        throw ImageError.decode(error, url: name)
      }
    }
    do throws(TranscodeError) {
      return try codecs.transcode(
        bytes.span,
        as: encoding,
        fitting: fitting,
        rules: rules,
        workspace: workspace
      )
    } catch .decode(let error) {
      throw ImageError.decode(error, url: name)
    } catch .encode(let error) {
      throw error
    }
  }

  /// A composed frame.
  ///
  /// - Throws: ``ImageError``, and ``Failure`` when there is no such frame.
  func picture(_ index: Int, fitting: Fitting = .original) throws -> Bitmap {
    try decoded(index, fitting: fitting).bitmap
  }

  /// A composed frame, and what was wrong with a still all the same.
  ///
  /// - Throws: ``ImageError``, and ``Failure`` when there is no such frame.
  func decoded(_ index: Int, fitting: Fitting = .original) throws -> DecodedPicture {
    guard frames.indices.contains(index) else {
      if let error { throw ImageError.decode(error, url: name) }
      let count = frames.count == 1 ? "one frame" : "\(frames.count) frames, from 0"
      throw Failure("frame \(index): \(name) has \(count)")
    }
    let bytes = bytes
    do throws(DecodeError) {
      if let composer {
        let frame = try composer.compose(index, from: nil, fitting: fitting, workspace: workspace)
        return DecodedPicture(bitmap: frame)
      }
      return try CodecList.isolatedStandard.decode(
        bytes.span,
        fitting: fitting,
        rules: rules,
        workspace: workspace
      )
    } catch {
      throw ImageError.decode(error, url: name)
    }
  }
}
