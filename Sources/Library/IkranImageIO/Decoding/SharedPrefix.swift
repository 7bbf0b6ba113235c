import IkranCodecs
import IkranSystem

/// The type of the file that all codecs are asked about one after the other.
final class SharedPrefix: Sendable {
  private let recognized = Guarded(RecognizedPrefix())

  /// The type that ImageIO recognizes; nil for none.
  func type(of bytes: Span<UInt8>) -> String? {
    let prefix = (0..<min(bytes.count, RecognizedPrefix.byteLimit)).map { bytes[$0] }
    if let type = recognized.withLock({ $0.type(of: prefix) }) { return type }
    // No bytes have no type.
    let type = (try? ImageIOSource(prefix, isWhole: false))?.type
    recognized.withLock { $0.remember(type, of: prefix) }
    return type
  }
}
