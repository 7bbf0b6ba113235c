import Support
import Testing

@testable import IkranPixels
@testable import IkranStores

@Suite(.timeLimit(.minutes(10))) struct DiskCacheEncodingTests {
  private let directory: TemporaryDirectory
  private let text = Array(String(repeating: "<path d=\"M0 0 L10 10\"/>", count: 2000).utf8)

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { "\(directory.path)/cache" }

  private func open(
    compresses: Bool = false,
    key: EncryptionKey? = nil
  ) throws -> DiskCache {
    let options = DiskCacheOptions(compresses: compresses, encryptionKey: key)
    return try DiskCache(directory: path, options: options)
  }

  private func noise(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: 3)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Every byte the cache has written.
  private func written() throws -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ path: String) throws {
      // A link that leads nowhere is not there.
      guard Files.exists(path) else { return }
      guard Files.isDirectory(path) else { return bytes += try Files.read(path) }
      for name in try Files.list(path) { try add("\(path)/\(name)") }
    }
    try add(path)
    return bytes
  }

  // MARK: - Compression

  @Test func textIsStoredCompressedAndReadBack() throws {
    let cache = try open(compresses: true)
    try cache.store(text, extended: [1], for: "key")
    #expect(try cache.statistics.byteCount < text.count / 8)
    #expect(try open().entry(for: "key")?.body == text)
    #expect(try cache.list().first?.bodyBytes == text.count)
    #expect(try cache.verify().dropped == 0)
  }

  /// Leaves out what is equal to the byte before the last one.
  private static func runs(_ id: String) -> BodyCompressor {
    BodyCompressor(id: id) { body in
      body.allSatisfy { $0 == body.first } ? Array(body.prefix(1)) : nil
    } decompress: { stored, count in
      stored.first.map { [UInt8](repeating: $0, count: count) }
    }
  }

  @Test(arguments: [false, true])
  func aCompressorOfTheProgramsOwnTakesThePlaceOfZlib(isEncrypted: Bool) throws {
    let key = try isEncrypted ? EncryptionKey([UInt8](repeating: 211, count: 32)) : nil
    func open(_ compressor: BodyCompressor?) throws -> DiskCache {
      let options = DiskCacheOptions(compressor: compressor, encryptionKey: key)
      return try DiskCache(directory: path, options: options)
    }
    let flat = [UInt8](repeating: 7, count: 50_000)
    let cache = try open(Self.runs("runs"))
    try cache.store(flat, for: "flat")
    try cache.store(noise(9_000), for: "noise")
    #expect(try cache.statistics.byteCount < 9_200)
    #expect(try open(Self.runs("runs")).body(for: "flat") == flat)
    #expect(try cache.body(for: "noise") == noise(9_000))
    #expect(try cache.verify().dropped == 0)
    // One without a compressor leaves it alone; another one removes it.
    #expect(try open(nil).body(for: "flat") == nil)
    #expect(try open(nil).body(for: "noise") == noise(9_000))
    #expect(try open(Self.runs("runs")).body(for: "flat") == flat)
    #expect(try open(Self.runs("other")).body(for: "flat") == nil)
    #expect(try open(Self.runs("runs")).body(for: "flat") == nil)
  }

  @Test func aBodyThatACompressorBringsBackWithAnotherLengthIsAMiss() throws {
    let compressor = BodyCompressor(id: "cut") { _ in
      [1]
    } decompress: { _, _ in
      [1, 2]
    }
    let cache = try DiskCache(
      directory: path,
      options: DiskCacheOptions(compressor: compressor)
    )
    try cache.store(noise(300), for: "key")
    #expect(try cache.body(for: "key") == nil)
  }

  @Test func incompressibleBodiesAreStoredAsTheyAre() throws {
    let cache = try open(compresses: true)
    try cache.store(noise(30_000), for: "key")
    #expect(try cache.statistics.byteCount == 30_000)
    #expect(try cache.body(for: "key") == noise(30_000))
  }

  @Test(arguments: [
    [0xFF, 0xD8, 0xFF, 0xE0], [0x89, 0x50, 0x4E, 0x47], Array("GIF89a".utf8),
    Array("RIFF\0\0\0\0WEBP".utf8), Array("\0\0\0 ftypavif".utf8), [0x1F, 0x8B, 8],
    [0xFF, 0x0A],
  ])
  func compressedFormatsAreNotTried(beginning: [UInt8]) throws {
    let cache = try open(compresses: true)
    let body = beginning + [UInt8](repeating: 0, count: 40_000)
    try cache.store(body, for: "key")
    #expect(try cache.statistics.byteCount == body.count)
    #expect(try cache.body(for: "key") == body)
  }

  @Test(arguments: [0, 1, 255, 256, 16_384, 1_000_000])
  func bodiesOfAllSizesAreReadBackInEveryEncoding(count: Int) throws {
    let key = EncryptionKey.random()
    let bodies = [[UInt8](repeating: 1, count: count), noise(count)]
    for compresses in [false, true] {
      for secret in [nil, key] {
        let cache = try open(compresses: compresses, key: secret)
        for body in bodies {
          try cache.store(body, extended: body, for: "\(count)")
          let entry = try cache.entry(for: "\(count)")
          #expect(entry?.body == body)
          #expect(entry?.extended == body)
        }
        #expect(try cache.verify().dropped == 0)
      }
    }
  }

  // MARK: - Encryption

  private let url = "https://example.com/secret-portrait.svg"

  @Test(arguments: [100, 40_000])
  func noPlainTextIsStored(count: Int) throws {
    let body = Array(text.prefix(count))
    do {
      let cache = try open(key: .random())
      try cache.store(body, extended: Array("etag: secret-tag".utf8), for: url)
      #expect(try cache.keys() == [url])
    }
    let bytes = try written()
    for secret in ["secret-portrait", "secret-tag", "M0 0 L10"] {
      #expect(bytes.firstRange(of: Array(secret.utf8)) == nil, "\(secret)")
    }
    for seed in 0...2 as ClosedRange<UInt64> {
      let hash = Checksum.of(url, seed: seed)
      let digits = Array(String(hash, radix: 16).utf8)
      let word = (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - $0 * 8)) }
      #expect(bytes.firstRange(of: digits) == nil)
      #expect(bytes.firstRange(of: word) == nil)
    }
  }

  @Test(arguments: [100, 40_000])
  func anotherEncryptionKeyOrNoneReadsAMiss(count: Int) throws {
    let body = Array(text.prefix(count))
    let key = EncryptionKey.random()
    try open(key: key).store(body, for: url)
    for other in [nil, EncryptionKey.random()] {
      let cache = try open(key: other)
      #expect(try cache.body(for: url) == nil)
      #expect(try !cache.contains(url))
      #expect(try !cache.extend([1], for: url))
      #expect(try cache.keys() == [])
      #expect(try cache.statistics.dropped == 0)
      #expect(try cache.verify().dropped == 0)
    }
    #expect(try open(key: key).body(for: url) == body)
  }

  @Test func anUnencryptedCacheIsNotReadWithAKey() throws {
    try open().store(text, for: url)
    #expect(try open(key: .random()).body(for: url) == nil)
    #expect(try open().body(for: url) == text)
  }

  @Test func equalBodiesAreEncryptedDifferently() throws {
    let cache = try open(key: .random())
    for key in ["a", "b"] { try cache.store(text, for: key) }
    var bodies: [[UInt8]] = []
    for folder in try Files.list("\(path)/bodies") {
      for name in try Files.list("\(path)/bodies/\(folder)") {
        bodies.append(try Files.read("\(path)/bodies/\(folder)/\(name)"))
      }
    }
    #expect(bodies.count == 2)
    #expect(bodies.first?.prefix(64) != bodies.last?.prefix(64))
  }

  @Test(arguments: [0, 31, 33])
  func anEncryptionKeyHasThirtyTwoBytes(count: Int) {
    #expect(throws: DiskCacheError.keyLength(byteCount: count)) {
      try EncryptionKey([UInt8](repeating: 1, count: count))
    }
  }

  @Test func anEncryptionKeyIsNotPrinted() throws {
    let key = try EncryptionKey([UInt8](repeating: 211, count: 32))
    var text = "\(key) \(String(reflecting: key))"
    dump(DiskCacheOptions(encryptionKey: key), to: &text)
    #expect(!text.contains("211"))
    #expect(key.withBytes { $0 } == [UInt8](repeating: 211, count: 32))
  }

  // MARK: - Checksums

  // Values of the xxHash library, version 0.8.1: of so many bytes, and with which seed.
  private static let bodyChecksums: [(Int, UInt64, UInt64)] = [
    (241, 0, 0x0B3B_6309_48CE_4A00), (241, 0x0123_4567_89AB_CDEF, 0x8A0D_480F_3605_9169),
    (255, 0, 0x8993_2170_686C_DD9A), (256, 0, 0xEC85_B75B_AFE6_CA74),
    (257, 0x0123_4567_89AB_CDEF, 0xD85E_AC31_9A59_6877), (1024, 0, 0x23BC_880E_BF0D_29C6),
    (1025, 0, 0xC09F_DFBC_398C_7D82), (1088, 0, 0xA16B_AD67_843C_5A45),
    (1089, 0x0123_4567_89AB_CDEF, 0xF090_8C98_E294_409E), (40_961, 0, 0x399F_FAA0_8144_8787),
  ]

  @Test(arguments: Self.bodyChecksums)
  func checksumsOfBodiesAreThoseOfXXH3(count: Int, seed: UInt64, expected: UInt64) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31 + 7) }
    #expect(Checksum.ofBody(bytes, seed: seed) == expected)
    let plain = bytes.withUnsafeBytes { Bitmap.checksum(of: $0, seed: seed, simd: false) }
    #expect(plain == expected)
  }

  @Test func aBodyTooShortForXXH3HasNoSuchChecksum() {
    #expect(Checksum.ofBody([UInt8](repeating: 1, count: 240), seed: 0) == nil)
  }
}
