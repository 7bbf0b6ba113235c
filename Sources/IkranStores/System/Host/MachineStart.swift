/// Which start of which machine this is.
package enum MachineStart {
  /// 128 bits that differ after every start of the system; zero where it does not tell.
  package static let identity: (high: UInt64, low: UInt64) = {
    let path = "/proc/sys/kernel/random/boot_id"
    guard let bytes = try? Files.read(path, maximumBytes: 256) else { return (0, 0) }
    return (Checksum.of(bytes, seed: 0), Checksum.of(bytes, seed: 1))
  }()
}
