@testable import IkranCodecs
@testable import IkranPixels

/// All codecs: the same picture or error with and without vectors, with new and with used memory.
enum DecodeTarget {
  private nonisolated(unsafe) static let used = Workspace()  // libFuzzer has one thread

  static func run(_ bytes: Input) -> CInt {
    guard !bytes.isEmpty else { return 0 }
    let seed = fnv1a(bytes)
    _ = try? CodecList.standard.probe(bytes.span)
    let fitting = fitting(seed)
    let first = decode(bytes, fitting, workspace(usesSIMD: true))
    report(
      "pictures differ without vectors",
      unless: areSame(first, decode(bytes, fitting, workspace(usesSIMD: false)))
    )
    report("pictures differ with used memory", unless: areSame(first, decode(bytes, fitting, used)))
    if case .success(let picture) = first, picture.format == .bgrx { checkWriting(picture) }
    composeFrames(Array(bytes), seed)
    checkMetadata(bytes)
    return 0
  }

  /// What is kept of metadata stays as it is when it is kept again.
  private static func checkMetadata(_ bytes: Input) {
    let metadata = ImageMetadata(of: bytes.span)
    _ = (metadata.exifFacts, metadata.xmpFacts, metadata.profileFacts)
    for retention in MetadataRetention.allCases {
      let kept = metadata.retaining(retention)
      report("kept EXIF changes", unless: kept.retaining(retention).exif == kept.exif)
    }
  }

  private static func decode(
    _ bytes: Input,
    _ fitting: Fitting,
    _ workspace: Workspace
  ) -> Result<Bitmap, DecodeError> {
    do throws(DecodeError) {
      return .success(
        try CodecList.standard.decode(
          bytes.span,
          fitting: fitting,
          rules: .fuzzing,
          workspace: workspace
        ).bitmap
      )
    } catch { return .failure(error) }
  }

  /// An opaque picture is the same after PNG.
  private static func checkWriting(_ picture: Bitmap) {
    guard picture.width * picture.height <= 20_000 else { return }
    guard let png = try? picture.encoded(as: .png),
      let again = try? CodecList.standard.decode(png.span).bitmap
    else { return report("a PNG cannot be written and read") }
    report("a PNG is read differently", unless: areSame(picture, again))
  }

  /// Frames in their order, and out of it.
  private static func composeFrames(_ bytes: [UInt8], _ seed: UInt32) {
    let isPrefix = seed & 1 << 24 != 0
    guard
      let source = try? CodecList.standard.frames(
        of: bytes,
        isPrefix: isPrefix,
        rules: .fuzzing
      )
    else { return }
    let count = min(source.info.frames.count, 6)
    let fitting = fitting(seed >> 3)
    let (composer, other) = (source.makeComposer(), source.makeComposer())
    let workspace = Workspace()
    var kept: (number: Int, bitmap: Bitmap)?
    for frame in 0..<count {
      let inOrder = compose(composer, frame, nil, fitting, workspace)
      let number = count - 1 - frame
      let backwards = compose(other, number, kept, fitting, workspace)
      let again = compose(source.makeComposer(), number, nil, fitting, Workspace())
      report("frame \(number) differs", unless: areSame(backwards, again))
      if frame == number { report("frame \(frame) differs", unless: areSame(inOrder, again)) }
      if kept == nil, let whole = try? composer.compose(frame) { kept = (frame, whole) }
    }
  }

  private static func compose(
    _ composer: any FrameComposer,
    _ frame: Int,
    _ kept: (number: Int, bitmap: Bitmap)?,
    _ fitting: Fitting,
    _ workspace: Workspace
  ) -> Result<Bitmap, DecodeError> {
    do throws(DecodeError) {
      return .success(
        try composer.compose(frame, from: kept, fitting: fitting, workspace: workspace)
      )
    } catch { return .failure(error) }
  }
}
