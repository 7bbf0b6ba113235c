import IkranSystem

/// Converts bodies, keys and extended data to and from their stored form: deflated and encrypted.
struct EntryEncoding: Sendable {
  /// A key with its hash, which is the primary key of the index.
  struct Name: Sendable {
    let key: String
    let hash: Int64
  }

  /// As much as is inflated at most.
  private static let largestBody: Int64 = 1 << 30

  let compresses: Bool
  let compressor: BodyCompressor?
  let naming: FileNaming?
  let cipher: Cipher?

  /// - Throws: `DiskCacheError.cipher`.
  init(_ options: DiskCacheOptions) throws(DiskCacheError) {
    (compresses, compressor) = (options.compresses, options.compressor)
    naming = options.encryptionKey == nil ? options.naming : nil
    if let key = options.encryptionKey {
      cipher = try Cipher(key)
    } else {
      cipher = nil
    }
  }

  func name(of key: String) throws(DiskCacheError) -> Name {
    let hash = try cipher?.hash(of: key) ?? Checksum.of(key)
    return Name(key: key, hash: Int64(bitPattern: hash))
  }

  // MARK: - Encoding

  /// Converts an entry to its stored form.
  func encode(
    _ body: [UInt8],
    _ extended: [UInt8],
    _ name: Name
  ) throws(DiskCacheError) -> EncodedEntry {
    try checkRow(name.key, extended)
    var stored = body
    var flags: StoredFlags = []
    if let compressor {
      if let smaller = compressor.stored(body) { (stored, flags) = (smaller, .compressed) }
    } else if compresses, let deflated = Deflation.deflated(body) {
      (stored, flags) = (deflated, .deflated)
    }
    if let cipher {
      stored = try cipher.seal(stored, .body, name.hash)
      flags.insert(.sealed)
    }
    if stored.count <= DiskCacheFormat.inlineLimit { flags.insert(.inline) }
    let seed = UInt64(bitPattern: name.hash)
    let checksum = Checksum.ofBody(stored, seed: seed)
    if checksum != nil { flags.insert(.xxh3) }
    let key = labelled(name.key, &flags)
    return EncodedEntry(
      name: name,
      body: stored,
      flags: flags,
      length: body.count,
      checksum: Int64(bitPattern: checksum ?? Checksum.of(stored, seed: seed)),
      key: try sealed(key, .key, name.hash),
      extended: try sealed(extended, .extended, name.hash)
    )
  }

  /// A key, with the label of its file before it if it gets one.
  private func labelled(_ key: String, _ flags: inout StoredFlags) -> [UInt8] {
    guard let naming, !flags.contains(.inline) else { return Array(key.utf8) }
    let label = FileLabel(naming.label(key))
    guard !label.bytes.isEmpty else { return Array(key.utf8) }
    flags.insert(.labelled)
    return label.before(Array(key.utf8))
  }

  /// Throws if a row would be larger than the index can store.
  func checkRow(_ key: String, _ extended: [UInt8]) throws(DiskCacheError) {
    let count = key.utf8.count + extended.count
    guard count <= DiskCacheFormat.rowLimit else {
      throw .rowOverLimit(bytes: count, limit: DiskCacheFormat.rowLimit)
    }
  }

  /// Encrypts a key or extended data if there is an encryption key; empty bytes stay empty.
  func sealed(
    _ bytes: [UInt8],
    _ part: Cipher.Part,
    _ hash: Int64
  ) throws(DiskCacheError) -> [UInt8] {
    guard let cipher, !bytes.isEmpty else { return bytes }
    return try cipher.seal(bytes, part, hash)
  }

  // MARK: - Decoding

  /// Whether a row was stored with encryption if and only if this cache has an encryption key, and
  /// with a compressor of a program's own only if this cache has one.
  func matches(_ row: IndexRow) -> Bool {
    row.flags.contains(.sealed) == (cipher != nil)
      && (compressor != nil || !row.flags.contains(.compressed))
  }

  /// The key of a row; nil when it cannot be decrypted.
  func key(of row: IndexRow) throws(DiskCacheError) -> [UInt8]? {
    if row.flags.contains(.labelled) { return FileLabel.key(in: row.key) }
    return try opened(row.key, .key, row.hash)
  }

  /// The extended data of a row; nil when they cannot be decrypted.
  func extended(of row: IndexRow) throws(DiskCacheError) -> [UInt8]? {
    try opened(row.extended, .extended, row.hash)
  }

  /// The body of a row from its stored form, whose checksum matches; nil when it cannot be decoded.
  func body(of row: IndexRow, from stored: [UInt8]) throws(DiskCacheError) -> [UInt8]? {
    var body = stored
    if row.flags.contains(.sealed) {
      guard let opened = try cipher?.open(body, .body, row.hash) else { return nil }
      body = opened
    }
    if row.flags.contains(.compressed) {
      // Its checksum does not say that a program of ours wrote its length.
      guard (0...Self.largestBody).contains(row.length) else { return nil }
      return compressor?.body(of: body, byteCount: Int(row.length))
    }
    guard row.flags.contains(.deflated) else { return body.count == row.length ? body : nil }
    return Deflation.inflated(body, byteCount: Int(row.length))
  }

  private func opened(
    _ bytes: [UInt8],
    _ part: Cipher.Part,
    _ hash: Int64
  ) throws(DiskCacheError) -> [UInt8]? {
    guard let cipher, !bytes.isEmpty else { return bytes }
    return try cipher.open(bytes, part, hash)
  }
}

/// An entry in its stored form, before it is added to the index.
struct EncodedEntry: Sendable {
  let name: EntryEncoding.Name
  let body: [UInt8]
  let flags: StoredFlags
  let length: Int
  /// Over the stored body and the hash.
  let checksum: Int64
  let key: [UInt8]
  let extended: [UInt8]

  /// The stored bytes.
  var size: Int { body.count + extended.count }

  func row(serial: Int64, time: Int64) -> IndexRow {
    IndexRow(
      hash: name.hash,
      serial: serial,
      flags: flags,
      length: Int64(length),
      size: Int64(size),
      checksum: checksum,
      stored: time,
      key: key,
      extended: extended,
      body: flags.contains(.inline) ? body : nil
    )
  }
}
