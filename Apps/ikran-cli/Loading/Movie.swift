import FoundationEssentials
import Ikran

/// The frames or pages of a file; a still has one.
final class Movie {
  struct Frame {
    let milliseconds: Int
    /// Whether decoding can begin there.
    let isKey: Bool
  }

  /// Of a composed frame, or of the first page, upright.
  let size: PixelSize
  let frames: [Frame]
  /// How often it plays, 0 for ever; nil for a still and for pages.
  let loops: Int?
  /// Why there are no more frames, when the file breaks off.
  let error: DecodeError?
  /// Nil for a still and for pages.
  let source: (any FrameSource)?
  /// Whether the frames are pages, each of a size of its own.
  var hasPages: Bool { source == nil && frames.count > 1 }

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
        frames = Array(
          repeating: Frame(milliseconds: 0, isKey: true),
          count: Self.pageCount(info, bytes)
        )
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

  /// How many pages a file without frames has, damaged ones too: those of another format cannot be
  /// chosen.
  private static func pageCount(_ info: ImageInfo, _ bytes: [UInt8]) -> Int {
    guard info.frames > 1 else { return 1 }
    let last = info.frames - 1
    do throws(DecodeError) {
      _ = try CodecList.isolatedStandard.probe(bytes.span, page: last)
      return info.frames
    } catch .noPage { return 1 } catch { return info.frames }
  }

  /// A still or a page in a file format, or for nil as straight RGBA; with the colours that the
  /// file stores where nothing is resized.
  ///
  /// - Throws: ``ImageError`` and ``EncodeError``.
  func still(
    _ page: Int = 0,
    as encoding: ImageEncoding?,
    fitting: Fitting
  ) throws -> [UInt8] {
    try check(page)
    let (bytes, codecs) = (bytes, CodecList.isolatedStandard)
    var rules = rules
    rules.page = page
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
    try check(index)
    let bytes = bytes
    var rules = rules
    rules.page = hasPages ? index : 0
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

  private func check(_ index: Int) throws {
    guard !frames.indices.contains(index) else { return }
    if let error { throw ImageError.decode(error, url: name) }
    let count = frames.count == 1 ? "one frame" : "\(frames.count) frames, from 0"
    throw Failure("frame \(index): \(name) has \(count)")
  }
}
