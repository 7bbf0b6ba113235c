import IkranHTTP
import IkranCodecs
import IkranPixels
import IkranSystem
import IkranTransport

/// A folder served file by file.
struct Folder: Sendable {
  private let folder: RealFolder
  /// The most files listed.
  private static let maximumListed = 100_000

  init(path: String) throws(ServerError) {
    do throws(FolderError) { folder = try RealFolder(path: path) } catch {
      throw .folderUnreadable(path: path, code: error.code)
    }
  }

  /// The paths of the regular files at this moment, percent-encoded and sorted, without hidden
  /// ones.
  func paths() -> [String] {
    var (found, folders) = ([String](), [""])
    while let beginning = folders.popLast() {
      // Unreadable subfolders are skipped: their files could not be served either.
      let names = (try? Files.list("\(folder.path)/\(beginning)")) ?? []
      for name in names where !name.hasPrefix(".") {
        let path = beginning + name
        if folder.open(path) != nil {
          found.append(path)
        } else if isFolder(path) {
          folders.append(path + "/")
        }
      }
    }
    return found.sorted().prefix(Self.maximumListed).map { "/" + PercentEncoding.path($0) }
  }

  /// Whether there is a folder at a path, without a link on the way.
  private func isFolder(_ path: String) -> Bool {
    let whole = "\(folder.path)/\(path)"
    return (try? RealFolder(path: whole))?.path == whole
  }

  /// The file at a percent-decoded path, or nil when there is none.
  func entity(at path: String) -> Entity? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard !parts.isEmpty, !parts.contains(where: { $0 == ".." || $0 == "." || $0.isEmpty }),
      let file = folder.open(parts.joined(separator: "/"))
    else { return nil }
    return Entity(
      payload: .file(file),
      count: file.size,
      contentType: Self.contentType(of: file, named: path),
      tag: file.tag,
      modified: file.modified
    )
  }

  /// From the first bytes for images, else from the extension.
  private static func contentType(of file: ServedFile, named path: String) -> String {
    let prefix = file.prefix(64)
    for codec in CodecList.standard.codecs where codec.recognizes(prefix.span) {
      return codec.format.mediaType ?? "application/octet-stream"
    }
    let ending = path.split(separator: ".").last.map { $0.lowercased() }
    return switch ending {
    case "html", "htm": "text/html; charset=utf-8"
    case "txt", "md", "csv": "text/plain; charset=utf-8"
    case "json": "application/json"
    case "svg": "image/svg+xml"
    case "avif": "image/avif"
    case "heic": "image/heic"
    case "jxl": "image/jxl"
    case "tif", "tiff": "image/tiff"
    case "bmp": "image/bmp"
    default: "application/octet-stream"
    }
  }
}
