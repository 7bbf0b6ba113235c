/// The name of a body's file.
struct BodyName: Hashable, Sendable {
  let hash: Int64
  let serial: Int64
  /// What ``FileNaming`` adds to it; empty for none.
  let label: [UInt8]

  init(hash: Int64, serial: Int64, label: [UInt8] = []) {
    (self.hash, self.serial, self.label) = (hash, serial, label)
  }

  /// The file's path in the cache's folder; it has the key's hash, and of the key nothing but the
  /// label.
  func path(in directory: String) -> String {
    // Every read makes one: one allocation instead of six.
    let count = directory.utf8.count + 44 + (label.isEmpty ? 0 : 1 + label.count)
    return String(unsafeUninitializedCapacity: count) { bytes in
      var end = 0
      func append(_ text: some Sequence<UInt8>) {
        for byte in text {
          bytes[end] = byte
          end += 1
        }
      }
      func appendDigits(_ value: Int64, _ count: Int) {
        for shift in stride(from: 60, to: 60 - 4 * count, by: -4) {
          let digit = UInt8(truncatingIfNeeded: value >> shift & 15)
          bytes[end] = digit + (digit < 10 ? 0x30 : 0x57)
          end += 1
        }
      }
      append(directory.utf8)
      append("/bodies/".utf8)
      appendDigits(hash, 2)
      append(CollectionOfOne(0x2F))
      appendDigits(hash, 16)
      append(CollectionOfOne(0x2D))
      appendDigits(serial, 16)
      if !label.isEmpty {
        append(CollectionOfOne(0x2D))
        append(label)
      }
      return end
    }
  }

  /// Parses a file's name; nil when it is not a body's.
  init?(fileName: String) {
    let parts = fileName.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[..<2].allSatisfy({ $0.utf8.count == 16 }),
      let hash = UInt64(parts[0], radix: 16), let serial = UInt64(parts[1], radix: 16)
    else { return nil }
    self.init(
      hash: Int64(bitPattern: hash),
      serial: Int64(bitPattern: serial),
      label: parts.count > 2 ? Array(parts[2].utf8) : []
    )
  }
}
