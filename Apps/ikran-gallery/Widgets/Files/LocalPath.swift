import CGTK
import IkranSystem

/// Paths of files on this machine.
enum LocalPath {
  /// The path in a `file:` URL; nil for other URLs.
  static func of(_ url: String) -> String? {
    guard url.hasPrefix("file:///"), let path = g_filename_from_uri(url, nil, nil) else {
      return nil
    }
    defer { g_free(path) }
    return String(path: path)
  }
}
