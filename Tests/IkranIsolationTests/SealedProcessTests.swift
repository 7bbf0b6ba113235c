import Glibc
import IkranCodecs
import IkranPixels
import IkranSystem
import TestBasics
import Testing

/// What a process that is sealed off as decoders are cannot do, tried.
@Suite struct SealedProcessTests {
  private let codes: [String: Int32]

  init() throws {
    let found = try #require(realpath("/proc/self/exe", nil))
    defer { free(found) }
    let program = "\(Files.parent(of: String(cString: found)))/PictureLoads"
    let command = "\(program) sealed \(Fixtures.folder)/areas-lzw.tif"
    let output = try #require(popen(command, "r"))
    var text: [UInt8] = []
    while case let byte = fgetc(output), byte != EOF { text.append(UInt8(byte)) }
    try #require(pclose(output) == 0)
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    let pairs = lines.compactMap { line -> (String, Int32)? in
      let words = line.split(separator: " ")
      guard words.count == 2, let code = Int32(words[1]) else { return nil }
      return (String(words[0]), code)
    }
    codes = Dictionary(pairs) { $1 }
  }

  @Test func itReachesNoNetwork() {
    for name in ["socket", "local-socket", "connect"] { #expect(codes[name] == EPERM, "\(name)") }
  }

  /// Landlock says EACCES, and seccomp EPERM where there is no Landlock.
  @Test func itOpensNoFile() {
    for name in ["open-read", "open-write", "create", "environment"] {
      #expect([EACCES, EPERM].contains(codes[name]), "\(name): \(codes[name] ?? -1)")
    }
    #expect(codes["unlink"] == EPERM)
  }

  @Test func itStartsAndTouchesNoProcess() {
    for name in ["execve", "fork", "clone", "ptrace", "kill"] {
      #expect(codes[name] == EPERM, "\(name)")
    }
  }

  @Test(.enabled(if: !Sanitizer.isOn, "a sanitizer maps terabytes"))
  func itHasNoFiveGigabytes() {
    #expect(codes["mmap-5-gigabytes"] == ENOMEM)
  }

  @Test func itMapsNoCode() { #expect(codes["mmap-code"] == EPERM) }

  @Test func itDecodesAllTheSame() { #expect(codes["decode"] == 0) }
}
