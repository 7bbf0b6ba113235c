#if canImport(Glibc)
import IkranSystem

extension FileProtection {
  /// Whether the system has it.
  static var isAvailable: Bool { false }

  /// Does nothing.
  func set(on folder: String) throws(SystemError) {}
}
#endif
