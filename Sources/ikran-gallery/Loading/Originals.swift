import Ikran

/// The files that the conventional modes decode, by the numbers of their items.
@MainActor
final class Originals {
  private var files: [Int: [UInt8]] = [:]
  private var thumbnails: [Int: [UInt8]] = [:]
  private let pipeline: ImagePipeline
  /// How many files were decoded on the main thread.
  private(set) var decodes = 0

  init(_ pipeline: ImagePipeline) { self.pipeline = pipeline }

  /// Decodes the picture of an item now.
  ///
  /// - Parameters:
  ///   - number: The item's.
  ///   - mode: Which file.
  ///   - side: In pixels.
  /// - Returns: The picture; nil when its file has not been fetched, or is none.
  func texture(_ number: Int, _ mode: Mode, side: Int) -> Texture? {
    guard let file = mode == .thumbnails ? thumbnails[number] : files[number] else { return nil }
    decodes += 1
    return mode == .thumbnails ? Texture(file) : Texture(file, covering: side)
  }

  /// Whether the file of an item is there.
  func has(_ number: Int) -> Bool { files[number] != nil }

  /// Fetches the file of an item.
  ///
  /// - Throws: `ImageError`.
  func fetch(_ item: Item, _ number: Int) async throws(ImageError) {
    let request = ImageRequest(location: item.location, style: .original)
    files[number] = try await pipeline.data(for: request)
  }

  /// Makes the small JPEG file of an item whose file was fetched.
  func makeThumbnail(_ number: Int, side: Int) async {
    guard thumbnails[number] == nil, let file = files[number] else { return }
    thumbnails[number] = await Self.thumbnail(file, side: side)
  }

  /// Forgets all files.
  func removeAll() { (files, thumbnails) = ([:], [:]) }

  @concurrent
  private static func thumbnail(_ file: [UInt8], side: Int) async -> [UInt8]? {
    let size = PixelSize(width: side, height: side)
    return try? CodecList.standard.decode(file.span, fitting: .cover(size))
      .encoded(as: .jpeg(quality: 85))
  }
}
