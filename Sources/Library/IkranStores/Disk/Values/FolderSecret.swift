import Synchronization
import IkranSystem

/// A random key in a folder, and the digests that are made with it: what they stand for cannot be
/// found by guessing without the key (decision 60).
///
/// The key is in the file `ikran-secret`, which only its owner may read; processes that make it at
/// the same time get one key. A file that is damaged, that others may read, or that is a symbolic
/// link is replaced. Without a folder, and where the file can be neither read nor made, the key
/// lasts as long as this value. Digests made with a key that was lost equal no others.
///
/// The first digest opens and reads the file, and waits for the disk when it has to be made.
package final class FolderSecret: Sendable {
  private static let keyByteCount = 32
  private static let magic = "ikran-secret 1 "
  private static let fileByteCount = magic.utf8.count + 2 * keyByteCount + 1 + 16 + 1

  private let path: String?
  private let key = Guarded<[UInt8]?>(nil)
  private let made = Atomic(false)

  /// Names a key; nothing is read or written.
  ///
  /// - Parameter folder: The folder, made when the key is; nil for a key in memory.
  package convenience init(folder: String?) {
    self.init(path: folder.map { $0 + "/ikran-secret" })
  }

  /// Names a key in another file; nothing is read or written.
  ///
  /// - Parameter path: The file, made when it is needed; nil for a key in memory.
  package init(path: String?) { self.path = path.map { (try? Files.absolute($0)) ?? $0 } }

  /// Whether the next digest needs no file.
  package var isLoaded: Bool { key.withLock { $0 != nil } || path == nil }

  /// Whether the folder has a key; one `open`.
  package var isStored: Bool { path.map { Self.read($0) != nil } ?? false }

  /// Whether this value has made the folder's key: nothing was kept with it before.
  package var wasMade: Bool { made.load(ordering: .relaxed) }

  /// Reads the key, or makes it.
  package func load() { _ = loaded() }

  /// 128 bits of HMAC-SHA-256 over a text.
  ///
  /// Equal for equal texts and keys; random if libcrypto fails.
  package func digest(of text: String) -> TableID {
    guard let code = try? SealedText.code(Array(text.utf8), loaded()) else {
      return TableID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
    }
    let words = [code[..<8], code[8..<16]].map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    return TableID(high: words[0], low: words[1])
  }

  private func loaded() -> [UInt8] {
    if let key = key.withLock({ $0 }) { return key }
    // Not under the lock: another thread may read the same file at this time.
    let found = path.flatMap { stored(at: $0) } ?? Self.random()
    return key.withLock { key in
      if let key { return key }
      key = found
      return found
    }
  }

  private static func random() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<keyByteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  // MARK: - The file

  /// The key of a folder, which is made when there is none; nil when that fails.
  private func stored(at path: String) -> [UInt8]? {
    if let key = Self.read(path) { return key }
    do throws(SystemError) {
      try Files.createDirectories(Files.parent(of: path))
      let folder = try OpenFile(folder: Files.parent(of: path))
      folder.lock(shared: false)
      defer { folder.unlock() }
      // Another process may have made it since.
      if let key = Self.read(path) { return key }
      try Files.remove(path)
      try Files.createPrivately(path, Self.fileBytes(Self.random()))
      made.store(true, ordering: .relaxed)
    } catch {
      return nil
    }
    // On a disk without permissions everyone may read it.
    let file = Files.readPrivately(path, byteCount: Self.fileByteCount)
    return file.flatMap { Self.key(in: $0.bytes) }
  }

  private static func read(_ path: String) -> [UInt8]? {
    guard let file = Files.readPrivately(path, byteCount: fileByteCount), file.isPrivate else {
      return nil
    }
    return key(in: file.bytes)
  }

  /// A line of text: the key and its checksum, so that zeros after a power loss are no key.
  private static func fileBytes(_ key: [UInt8]) -> [UInt8] {
    let checksum = String(hexadecimal: Checksum.of(key))
    let digits = key.map { byte in
      let digits = String(byte, radix: 16)
      return digits.utf8.count < 2 ? "0" + digits : digits
    }
    return Array("\(magic)\(digits.joined()) \(checksum)\n".utf8)
  }

  private static func key(in bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count == fileByteCount else { return nil }
    let digits = bytes.dropFirst(magic.utf8.count).prefix(2 * keyByteCount)
      .compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map { UInt8($0) } }
    guard digits.count == 2 * keyByteCount else { return nil }
    let key = (0..<keyByteCount).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
    return fileBytes(key) == bytes ? key : nil
  }
}
