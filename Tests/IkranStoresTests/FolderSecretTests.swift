import Glibc
import IkranStores
import Support
import Testing

@Suite("Secret of a folder")
struct FolderSecretTests {
  private let folder: TemporaryDirectory
  private var path: String { folder.path + "/deep/ikran-secret" }

  init() throws { folder = try TemporaryDirectory() }

  /// As another process has it.
  private func secret() -> FolderSecret { FolderSecret(folder: folder.path + "/deep") }

  @Test func equalTextsHaveEqualDigestsInOneFolder() {
    let digest = secret().digest(of: "text")
    #expect(secret().digest(of: "text") == digest)
    #expect(secret().digest(of: "texu") != digest)
    #expect(FolderSecret(folder: folder.path + "/other").digest(of: "text") != digest)
    #expect(FolderSecret(folder: nil).digest(of: "text") != digest)
  }

  @Test func nothingIsWrittenBeforeItIsNeeded() {
    let secret = secret()
    #expect(!secret.isLoaded && !secret.isStored && !secret.wasMade)
    #expect(!Files.exists(folder.path + "/deep"))
    secret.load()
    #expect(secret.isLoaded && secret.isStored && secret.wasMade)
  }

  @Test func onlyItsOwnerMayReadTheKey() throws {
    let old = umask(0)
    defer { umask(old) }
    secret().load()
    #expect(Files.permissions(path) == 0o600)
    #expect(try Files.list(folder.path + "/deep") == ["ikran-secret"])
  }

  @Test func whatMakesItAtTheSameTimeGetsOneKey() {
    for round in 0..<20 {
      let digests = Recorder<TableID>()
      let directory = "\(folder.path)/\(round)"
      onThreads(8) { _ in digests.add(FolderSecret(folder: directory).digest(of: "text")) }
      #expect(Set(digests.items).count == 1)
    }
  }

  /// Damaged, cut off, of zeros as after a power loss, readable by others: a key that is none any
  /// more.
  @Test(arguments: ["flip", "cut", "zeros", "empty", "shared", "folder"])
  func aLostKeyIsReplaced(how: String) throws {
    let before = secret().digest(of: "text")
    var bytes = try Files.read(path)
    switch how {
    case "flip": bytes[20] = bytes[20] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    case "cut": bytes.removeLast()
    case "zeros": bytes = Array(repeating: 0, count: bytes.count)
    case "empty": bytes = []
    default: break
    }
    _ = try Files.remove(path)
    if how == "folder" {
      try Files.createDirectories(path)
    } else {
      try Files.create(path, bytes)
      if how == "shared" { #expect(chmod(path, 0o644) == 0) }
    }
    let after = secret().digest(of: "text")
    #expect(after != before)
    #expect(secret().digest(of: "text") == after)
    #expect(Files.permissions(path) == 0o600)
  }

  @Test func aLinkIsNotFollowed() throws {
    secret().load()
    let target = folder.path + "/target"
    try Files.rename(path, to: target)
    let bytes = try Files.read(target)
    #expect(symlink(target, path) == 0)
    let digest = secret().digest(of: "text")
    #expect(try Files.read(target) == bytes)
    #expect(try Files.read(path) != bytes)
    #expect(secret().digest(of: "text") == digest)
  }

  @Test func whereNoFileCanBeMadeTheKeyLastsAsLongAsTheValue() throws {
    try Files.create(folder.path + "/deep", [])
    let secret = secret()
    #expect(secret.digest(of: "text") == secret.digest(of: "text"))
    #expect(secret.digest(of: "text") != self.secret().digest(of: "text"))
    #expect(!secret.isStored)
  }
}
