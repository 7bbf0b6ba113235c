package import IkranStores

/// Bodies that contain their key, and from which damage can be detected.
///
/// Layout: the XXH64 of the rest (8 bytes, little-endian), the key's length in bytes (1), the key,
/// then filling that depends on the seed.
package enum TortureBody {
  /// The body of a key for a seed: the same every time.
  package static func make(key: String, seed: UInt64, count: Int) -> [UInt8] {
    var rest: [UInt8] = [UInt8(truncatingIfNeeded: key.utf8.count)] + Array(key.utf8)
    var word = seed | 1
    while rest.count + 8 < count {
      word = word &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      rest.append(UInt8(truncatingIfNeeded: word >> 56))
    }
    return bytes(of: Checksum.of(rest)) + rest
  }

  /// Whether a body is undamaged and was made for this key.
  package static func isRight(_ body: [UInt8], for key: String) -> Bool {
    guard body.count > 8 else { return false }
    let rest = Array(body[8...])
    return Array(body[..<8]) == bytes(of: Checksum.of(rest))
      && rest.starts(with: [UInt8(truncatingIfNeeded: key.utf8.count)] + Array(key.utf8))
  }

  /// Whether a body and its additional data, if any, were made for this key.
  package static func isRight(_ entry: DiskCacheEntry, for key: String) -> Bool {
    isRight(entry.body, for: key)
      && (entry.extended.isEmpty || isRight(entry.extended, for: key))
  }

  private static func bytes(of word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
  }
}

/// The options of the torture program's cache.
package enum TortureForm: String, CaseIterable, Sendable {
  case plain, sealed

  /// A small cache, so that entries are evicted all the time.
  package var options: DiskCacheOptions {
    get throws {
      var options = DiskCacheOptions(byteLimit: 1 << 20, countLimit: 200)
      if self == .sealed {
        options.encryptionKey = try EncryptionKey((0..<32).map { $0 &* 7 &+ 3 })
        options.compresses = true
      }
      return options
    }
  }
}
