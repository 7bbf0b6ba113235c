import IkranCodecs
import IkranSystem

/// What ImageIO recognizes of files, for all of its codecs and all threads.
final class PrefixRecognizer: Sendable {
  private let recent = Guarded(RecentPrefixes())

  /// The type that ImageIO recognizes; nil for none.
  func type(of bytes: Span<UInt8>) -> String? {
    let prefix = bytes.extracting(..<min(bytes.count, RecentPrefixes.mostBytes))
    // Compared without the lock.
    let known = recent.withLock { $0 }
    if let type = known.type(of: prefix) { return type }
    let copy = prefix.indices.map { prefix[$0] }
    // No bytes have no type.
    let type = (try? ImageIOSource(prefix, isWhole: false))?.type
    recent.withLock { $0.remember(type, of: copy) }
    return type
  }
}
