/// Identifies the current boot of the machine.
package enum BootID {
  /// 128 bits that differ after every boot; zero where the system has no boot id.
  package static let current: (high: UInt64, low: UInt64) = {
    guard let bytes = Platform.bootText else { return (0, 0) }
    return (Checksum.of(bytes, seed: 0), Checksum.of(bytes, seed: 1))
  }()
}
