import Ikran

/// What a file says of its picture.
struct PictureFacts: Sendable, Equatable {
  let byteCount: Int
  /// nil for one that is not local.
  let file: FileFacts?
  let info: ImageInfo?
  let camera: ExifFacts?

  /// Cost: headers of some formats are read in another process, which is waited for.
  init(_ bytes: [UInt8], _ file: FileFacts?) {
    (byteCount, self.file) = (bytes.count, file)
    info = try? CodecList.isolatedStandard.probe(bytes.span)
    camera = CameraLines.read(bytes)
  }
}
