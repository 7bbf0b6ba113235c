import IkranCodecs
import IkranSystem

/// The type of the file that all codecs are asked about one after the other.
final class SharedBeginning: Sendable {
  private let known = Guarded(KnownBeginning())

  /// The type that ImageIO recognizes; nil for none.
  func type(of bytes: Span<UInt8>) -> String? {
    let beginning = (0..<min(bytes.count, KnownBeginning.mostBytes)).map { bytes[$0] }
    if let type = known.withLock({ $0.type(of: beginning) }) { return type }
    // No bytes have no type.
    let type = (try? ImageIOSource(beginning, isWhole: false))?.type
    known.withLock { $0.remember(type, of: beginning) }
    return type
  }
}
