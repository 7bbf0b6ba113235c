#if canImport(Darwin)
import IkranFoundation
import IkranSystem

extension FileProtection {
  /// Whether the system has it.
  static var isAvailable: Bool { true }

  /// Sets it on a folder.
  func set(on folder: String) throws(SystemError) {
    let type: FileProtectionType =
      switch self {
      case .none: .none
      case .untilFirstUnlock: .completeUntilFirstUserAuthentication
      case .complete: .complete
      }
    do {
      try FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: folder)
    } catch {
      throw .refused("protect", folder)
    }
  }
}
#endif
