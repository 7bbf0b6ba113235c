import FoundationEssentials
import Ikran

/// Keeps files in a folder, as they came from their origins: a mirror that other programs can read.
///
/// Two files belong to a body: the body itself, and what the pipeline wants to know of it later, such as
/// until when it is fresh.
struct FolderStore: DataCaching {
  let folder: URL

  init(_ folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func body(for key: String) throws -> [UInt8]? { try read(file(key, "body")) }

  func store(_ body: [UInt8], for key: String) throws {
    try store(body, extended: [], for: key)
  }

  func remove(_ key: String) throws {
    for file in [file(key, "notes"), file(key, "body")]
    where FileManager.default.fileExists(atPath: file.path) {
      try FileManager.default.removeItem(at: file)
    }
  }

  func removeAll() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    for name in names where name.hasSuffix(".body") || name.hasSuffix(".notes") {
      try FileManager.default.removeItem(at: folder.appending(path: name))
    }
  }

  func entry(for key: String) throws -> DiskCacheEntry? {
    guard let body = try body(for: key) else { return nil }
    return DiskCacheEntry(body: body, extended: try extended(for: key) ?? [], stored: 0)
  }

  func extended(for key: String) throws -> [UInt8]? { try read(file(key, "notes")) }

  func store(_ body: [UInt8], extended: [UInt8], for key: String) throws {
    // The old notes say nothing of the new body, whatever happens between these writes.
    try remove(key)
    try Data(body).write(to: file(key, "body"), options: .atomic)
    try Data(extended).write(to: file(key, "notes"), options: .atomic)
  }

  func extend(_ extended: [UInt8], for key: String) throws -> Bool {
    guard try contains(key) else { return false }
    try Data(extended).write(to: file(key, "notes"), options: .atomic)
    return true
  }

  /// Keys are digests in hexadecimal, so they are names of files.
  private func file(_ key: String, _ kind: String) -> URL {
    folder.appending(path: "\(key).\(kind)")
  }

  private func read(_ file: URL) throws -> [UInt8]? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    return [UInt8](try Data(contentsOf: file))
  }
}

@main
enum Mirror {
  /// Loads pictures through the store and says where each came from: `FolderStore FOLDER URL…`.
  static func main() async {
    let words = CommandLine.arguments.dropFirst()
    guard let folder = words.first else { return print("usage: FolderStore FOLDER URL...") }
    do {
      let store = try FolderStore(URL(filePath: folder))
      let pipeline = ImagePipeline(diskCache: store)
      for url in words.dropFirst().compactMap({ URL(string: $0) }) {
        let response = try await pipeline.response(for: ImageRequest(url, style: .circle(48)))
        print("\(url.lastPathComponent): \(response.source)")
      }
      await pipeline.finishWriting()
    } catch {
      print("\(error)")
    }
  }
}
