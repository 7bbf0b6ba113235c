import Glibc
import IkranSystem
import TestBasics
import Testing

@Suite(.timeLimit(.minutes(10))) struct FilesTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: [0, 1, 4096, 100_000])
  func writtenBytesAreRead(count: Int) throws {
    let path = "\(directory.path)/file"
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    try Files.writeAtomically(bytes, to: path)
    #expect(try Files.read(path) == bytes)
    #expect(try Files.list(directory.path) == ["file"])
    #expect(Files.permissions(path) == 0o600)
  }

  @Test func writingReplacesTheOldFile() throws {
    let path = "\(directory.path)/file"
    try Files.writeAtomically([1, 2, 3], to: path)
    try Files.writeAtomically([4], to: path)
    #expect(try Files.read(path) == [4])
  }

  @Test func aWrittenFileHasTheModeOrExactlyThePermissions() throws {
    let path = "\(directory.path)/file"
    try Files.writeAtomically([1], to: path, durable: false, mode: 0o400)
    #expect(Files.permissions(path) == 0o400)
    try Files.writeAtomically([2], to: path, durable: false, mode: 0o600, permissions: 0o646)
    #expect(Files.permissions(path) == 0o646)
    #expect(try Files.list(directory.path) == ["file"])
  }

  @Test func aFileOverTheLimitIsNotRead() throws {
    let path = "\(directory.path)/file"
    try Files.create(path, [UInt8](repeating: 0, count: 100))
    #expect(try Files.read(path, maximumBytes: 100).count == 100)
    let error = #expect(throws: SystemError.self) { try Files.read(path, maximumBytes: 99) }
    #expect(error?.code == EFBIG)
  }

  @Test func aFileWithoutASizeIsReadToItsEnd() throws {
    #expect(try !Files.read("/proc/self/maps").isEmpty)
    #expect(throws: SystemError.self) { try Files.read("/proc/self/maps", maximumBytes: 10) }
  }

  @Test func aPipeIsRefusedWithoutWaiting() throws {
    let path = "\(directory.path)/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    let error = #expect(throws: SystemError.self) { try Files.read(path) }
    #expect(error?.code == EINVAL)
  }

  @Test func foldersAreMadeAndRemoved() throws {
    let path = "\(directory.path)/a/b/c"
    try Files.createDirectories(path)
    try Files.createDirectories(path)
    #expect(Files.isDirectory(path))
    #expect(Files.permissions(path) == 0o700)
    try Files.create("\(path)/file", [1])
    #expect(throws: SystemError.self) { try Files.remove(path) }
    try Files.removeTree("\(directory.path)/a")
    #expect(!Files.exists("\(directory.path)/a"))
    #expect(try !Files.remove("\(directory.path)/a"))
  }

  @Test func removingATreeDoesNotFollowLinks() throws {
    try Files.createDirectories("\(directory.path)/tree")
    try Files.createDirectories("\(directory.path)/other")
    try Files.create("\(directory.path)/other/file", [1])
    #expect(symlink("\(directory.path)/other", "\(directory.path)/tree/link") == 0)
    try Files.removeTree("\(directory.path)/tree")
    #expect(Files.exists("\(directory.path)/other/file"))
  }

  @Test func failuresNameTheOperationAndThePath() throws {
    let missing = "\(directory.path)/missing"
    let error = #expect(throws: SystemError.self) { try Files.read(missing) }
    #expect(error == SystemError(code: ENOENT, operation: "open", path: missing))
    let folder = #expect(throws: SystemError.self) { try Files.read(directory.path) }
    #expect(folder?.code == EISDIR)
    #expect(throws: SystemError.self) { try Files.list(missing) }
    #expect(throws: SystemError.self) { try Files.writeAtomically([1], to: "\(missing)/file") }
  }

  @Test(arguments: [
    ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, EROFS, ENOSPC, EDQUOT, EFBIG, EMFILE, ENAMETOOLONG,
    EINVAL, EIO, EBUSY, EEXIST, ENOTEMPTY,
  ])
  func everyFailureIsOneSentence(code: CInt) {
    let text = SystemError(code: code, operation: "open", path: "/some/file").description
    #expect(text.hasPrefix("Could not open /some/file: "))
    #expect(text.hasSuffix("."))
    #expect(text.contains(";"))
  }

  // Values of the xxHash library, version 0.8.1.
  private static let checksums: [(String, UInt64, UInt64)] = [
    ("", 0, 0xEF46_DB37_51D8_E999),
    ("a", 0, 0xD24E_C4F1_A98C_6E5B),
    ("abc", 0, 0x44BC_2CF5_AD77_0999),
    ("", 7, 0x95F0_626F_6F0A_4409),
    ("0123456789abcdef0123456789abcde", 1, 0xE2CF_275E_22C7_4F2D),
    ("0123456789abcdef0123456789abcdef", 2, 0xB37C_071B_2767_5B9A),
    (
      String(repeating: "0123456789abcdef", count: 6) + "0123456789ab!", .max,
      0x7312_B675_2F48_790E
    ),
  ]

  @Test(arguments: Self.checksums)
  func checksumsAreThoseOfXXH64(text: String, seed: UInt64, expected: UInt64) {
    #expect(Checksum.of(text, seed: seed) == expected)
    #expect(Checksum.of(Array(text.utf8), seed: seed) == expected)
  }

  @Test func anExtremeTimeOfChangeDoesNotOverflow() throws {
    // tmpfs stores any time; other file systems store the nearest that they support.
    let folder = Files.isWritable("/dev/shm") ? "/dev/shm" : "/tmp"
    let path = "\(folder)/ikran-test-\(UInt64.random(in: 0 ... .max))"
    try Files.create(path, [])
    defer { _ = try? Files.remove(path) }
    for second in [Int.min, .max] {
      let times = [timespec(tv_sec: second, tv_nsec: 0)]
      #expect(utimensat(AT_FDCWD, path, times + times, 0) == 0)
      #expect(Files.age(path) != nil)
    }
  }
}
