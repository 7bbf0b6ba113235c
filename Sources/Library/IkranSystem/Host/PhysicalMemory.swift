/// The memory that this process may use.
package enum PhysicalMemory {
  /// The bytes of RAM, or of the limit that the system sets when that is smaller.
  package static func bytes() -> Int { Platform.memoryByteCount }

  /// What a cache may take: an eighth of ``bytes()``, but at least 16 MiB and at most 512 MiB.
  package static let cacheShare = min(max(bytes() / 8, 16 << 20), 512 << 20)
}
