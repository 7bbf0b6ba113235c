import Ikran
import IkranStores

/// The files that the conventional modes decode, by the numbers of their items.
@MainActor
final class Originals {
  // What does not fit is fetched again, from the disk cache.
  private let files: MemoryCache<Int, [UInt8]>
  private let thumbnails: MemoryCache<Int, [UInt8]>
  private let pipeline: ImagePipeline
  /// How many files were decoded on the main thread.
  private(set) var decodes = 0

  init(_ pipelines: Pipelines) {
    pipeline = pipelines.withTables
    let limit = pipelines.memory.files
    files = MemoryCache(byteLimit: limit, countLimit: .max)
    thumbnails = MemoryCache(byteLimit: limit, countLimit: .max)
  }

  /// Decodes the picture of an item now.
  ///
  /// - Parameters:
  ///   - number: The item's.
  ///   - mode: Which file.
  ///   - side: In pixels.
  /// - Returns: The picture; nil when its file has not been fetched, or is none.
  func texture(_ number: Int, _ mode: Mode, side: Int) -> Texture? {
    guard let file = (mode == .thumbnails ? thumbnails : files).value(for: number) else {
      return nil
    }
    decodes += 1
    return mode == .thumbnails ? Texture(file) : Texture(file, covering: side)
  }

  /// Whether the file of an item is there.
  func has(_ number: Int) -> Bool { files.value(for: number) != nil }

  /// Fetches the file of an item.
  ///
  /// - Throws: `ImageError`.
  func fetch(_ item: Item, _ number: Int) async throws(ImageError) {
    let request = ImageRequest(location: item.location, style: .original)
    let file = try await pipeline.data(for: request)
    files.store(file, cost: file.count, for: number)
  }

  /// Makes the small JPEG file of an item whose file was fetched.
  func makeThumbnail(_ number: Int, side: Int) async {
    guard thumbnails.value(for: number) == nil, let file = files.value(for: number),
      let thumbnail = await Self.thumbnail(file, side: side)
    else { return }
    thumbnails.store(thumbnail, cost: thumbnail.count, for: number)
  }

  /// Forgets all files.
  func removeAll() {
    files.removeAll()
    thumbnails.removeAll()
  }

  @concurrent
  private static func thumbnail(_ file: [UInt8], side: Int) async -> [UInt8]? {
    let size = PixelSize(width: side, height: side)
    return try? CodecList.isolatedStandard.decode(file.span, fitting: .cover(size))
      .bitmap.encoded(as: .jpeg(quality: 85))
  }
}
