import FoundationEssentials
import Ikran

/// Keeps pictures that strangers upload: each as large as a page shows it, and as an avatar.
///
/// `keep` is what you would call from a route of your web framework, with the body of the request.
struct Uploads: Sendable {
  struct Kept: Sendable {
    let size: PixelSize
    let files: [String]
  }

  let folder: URL
  private let pipeline: ImagePipeline

  init(_ folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var options = PipelineOptions()
    options.decoding.limits.maximumBytes = 20 << 20
    options.decoding.limits.maximumPixels = 50_000_000
    options.decoding.limits.maximumDeclaredPixels = 100_000_000
    options.decoding.animates = false
    // Each file is decoded in a process that can open nothing; one that breaks it costs an error.
    options.decoding.isolation = .all
    pipeline = ImagePipeline(options: options)
  }

  /// Stores what is shown of an upload, never the upload itself.
  ///
  /// Files are named by the server: a name from outside may be a path.
  func keep(_ body: [UInt8]) async throws -> Kept {
    let name = UUID().uuidString
    let fits = Style.fit(width: 2048, height: 2048, enlarges: false)
    async let page = picture(of: body, name, fits)
    async let avatar = picture(of: body, name, .circle(96))
    let (large, small) = try await (page, avatar)
    // JPEG has no alpha. No EXIF is written: nothing says where or with what it was taken.
    let hasAlpha = large.format == .bgra
    let files = [
      name + (hasAlpha ? ".webp" : ".jpg"): try large.encoded(as: hasAlpha ? .webp() : .jpeg()),
      name + "-avatar.png": try small.encoded(as: .png),
    ]
    do {
      for (name, bytes) in files {
        try Data(bytes).write(to: folder.appending(path: name), options: .atomic)
      }
    } catch {
      // The disk is full, perhaps: both files or none.
      for name in files.keys {
        try? FileManager.default.removeItem(at: folder.appending(path: name))
      }
      throw error
    }
    return Kept(size: large.size, files: files.keys.sorted())
  }

  /// Upright, in sRGB; nothing of it stays in memory, as no upload comes twice.
  private func picture(of body: [UInt8], _ id: String, _ style: Style) async throws -> Bitmap {
    var request = ImageRequest(data: body, id: id, style: style)
    request.caching = CacheOptions(reads: [], stores: [])
    return try await pipeline.image(for: request)
  }

  /// The status of the response to an upload that is refused.
  static func status(of error: any Error) -> Int {
    switch error {
    case ImageError.decode(.overLimit, _, _): 413
    case ImageError.decode(.empty, _, _), ImageError.decode(.unknownFormat, _, _),
      ImageError.decode(.unsupported, _, _):
      415
    case ImageError.decode(.isolated(_, .notFound), _, _),
      ImageError.decode(.isolated(_, .notStarted), _, _), ImageError.decode(.bitmap, _, _):
      500
    case ImageError.decode: 422
    default: 500
    }
  }
}

@main
enum Program {
  /// Keeps one upload: `Uploads FOLDER FILE`.
  static func main() async {
    Isolation.startDecodersFromThisProgram()
    let words = CommandLine.arguments
    guard words.count == 3 else { return print("usage: Uploads FOLDER FILE") }
    do {
      let uploads = try Uploads(URL(filePath: words[1]))
      let kept = try await uploads.keep(Array(Data(contentsOf: URL(filePath: words[2]))))
      print("201 \(kept.size): \(kept.files.joined(separator: ", "))")
    } catch {
      print("\(Uploads.status(of: error)) \(error)")
    }
  }
}
