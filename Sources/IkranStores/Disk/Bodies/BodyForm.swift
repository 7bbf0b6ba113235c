/// In which form bodies, keys and extended data are kept: deflated or not, sealed or in clear.
struct BodyForm: Sendable {
  /// A key with its hash, which is what the index knows it by.
  struct Name: Sendable {
    let key: String
    let hash: Int64
  }

  /// A body on its way into the cache.
  struct Draft: Sendable {
    let name: Name
    let body: [UInt8]
    let kind: StoredKind
    let length: Int
    let key: [UInt8]
    let extended: [UInt8]

    /// The bytes it takes up.
    var size: Int { body.count + extended.count }

    func row(serial: Int64, time: Int64) -> IndexRow {
      IndexRow(
        hash: name.hash,
        serial: serial,
        kind: kind,
        length: Int64(length),
        size: Int64(size),
        checksum: IndexRow.checksum(of: body, hash: name.hash),
        stored: time,
        key: key,
        extended: extended,
        body: kind.contains(.inline) ? body : nil
      )
    }
  }

  let compression: DiskCacheOptions.Compression
  let cipher: Cipher?

  /// - Throws: `DiskCacheError.cipher`.
  init(_ options: DiskCacheOptions) throws(DiskCacheError) {
    compression = options.compression
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

  // MARK: - Packing

  /// Brings a body into the form it is kept in.
  func pack(
    _ body: [UInt8],
    _ extended: [UInt8],
    _ name: Name
  ) throws(DiskCacheError) -> Draft {
    try checkRow(name.key, extended)
    var kept = body
    var kind: StoredKind = []
    if compression == .automatic, let deflated = Deflation.deflated(body) {
      kept = deflated
      kind.insert(.deflated)
    }
    if let cipher {
      kept = try cipher.seal(kept, .body, name.hash)
      kind.insert(.sealed)
    }
    if kept.count <= DiskCacheFormat.inlineLimit { kind.insert(.inline) }
    return Draft(
      name: name,
      body: kept,
      kind: kind,
      length: body.count,
      key: try packed(Array(name.key.utf8), .key, name.hash),
      extended: try packed(extended, .extended, name.hash)
    )
  }

  /// Refuses what the index cannot hold.
  func checkRow(_ key: String, _ extended: [UInt8]) throws(DiskCacheError) {
    let count = key.utf8.count + extended.count
    guard count <= DiskCacheFormat.rowLimit else {
      throw .rowOverLimit(bytes: count, limit: DiskCacheFormat.rowLimit)
    }
  }

  /// Brings a key or extended data into the form they are kept in; nothing stays nothing.
  func packed(
    _ bytes: [UInt8],
    _ part: Cipher.Part,
    _ hash: Int64
  ) throws(DiskCacheError) -> [UInt8] {
    guard let cipher, !bytes.isEmpty else { return bytes }
    return try cipher.seal(bytes, part, hash)
  }

  // MARK: - Unpacking

  /// Whether a row was written in a form that this one can read.
  func matches(_ row: IndexRow) -> Bool { row.kind.contains(.sealed) == (cipher != nil) }

  /// The key of a row, or nil when it cannot be opened.
  func key(of row: IndexRow) throws(DiskCacheError) -> [UInt8]? {
    try unpacked(row.key, .key, row.hash)
  }

  /// The extended data of a row, or nil when it cannot be opened.
  func extended(of row: IndexRow) throws(DiskCacheError) -> [UInt8]? {
    try unpacked(row.extended, .extended, row.hash)
  }

  /// The body of a row from what was kept, whose checksum is right; nil when it cannot be opened.
  func body(of row: IndexRow, from kept: [UInt8]) throws(DiskCacheError) -> [UInt8]? {
    var body = kept
    if row.kind.contains(.sealed) {
      guard let opened = try cipher?.open(body, .body, row.hash) else { return nil }
      body = opened
    }
    guard row.kind.contains(.deflated) else { return body.count == row.length ? body : nil }
    return Deflation.inflated(body, byteCount: Int(row.length))
  }

  private func unpacked(
    _ bytes: [UInt8],
    _ part: Cipher.Part,
    _ hash: Int64
  ) throws(DiskCacheError) -> [UInt8]? {
    guard let cipher, !bytes.isEmpty else { return bytes }
    return try cipher.open(bytes, part, hash)
  }
}
