import CSQLite
import Support
import Testing

@testable import IkranStores

/// What a connection reads of the log's index while another one writes it.
@Suite struct SharedIndexTests {
  private let directory: TemporaryDirectory
  private let file: LockedFile

  init() throws {
    directory = try TemporaryDirectory()
    file = try LockedFile("\(directory.path)/index-shared")
  }

  /// A header as SQLite writes it, of a log with a salt.
  private func header(frames: UInt32, salt: UInt32) -> [UInt32] {
    var words: [UInt32] = [3_007_000, 0, 1, 1, frames, 10, 0, 0, salt, salt]
    var (first, second): (UInt32, UInt32) = (0, 0)
    for pair in 0..<5 {
      first &+= words[2 * pair] &+ second
      second &+= words[2 * pair + 1] &+ first
    }
    words += [first, second]
    return words
  }

  private func write(_ words: [UInt32], atWord word: Int) throws {
    try words.withUnsafeBytes { try file.write($0, at: word * 4) }
  }

  /// Its frame count would say that the tables of the new log were read already.
  @Test func tablesAreReadAgainAfterACopyWithWordsOfTwoHeaders() throws {
    let (old, new) = (header(frames: 100, salt: 1), header(frames: 150, salt: 2))
    try write([UInt32](repeating: 0, count: SharedIndexHandle.pageByteCount / 4), atWord: 0)
    try write(old + old, atWord: 0)
    try write([UInt32](repeating: 7, count: 100), atWord: 34)
    let index = try SharedIndexHandle(
      of: "\(directory.path)/index",
      isPrivate: false,
      isReadOnly: false,
      .init()
    )
    let page = try #require(try index.page(0, extends: false))
    #expect(page.load(fromByteOffset: 34 * 4, as: UInt32.self) == 7)
    // The new log's salt, and the old one's frame count.
    try write([2, 2], atWord: 8)
    index.synchronize()
    try write([UInt32](repeating: 8, count: 150), atWord: 34)
    try write(new + new, atWord: 0)
    index.synchronize()
    for frame in [0, 99, 149] {
      #expect(page.load(fromByteOffset: (34 + frame) * 4, as: UInt32.self) == 8)
    }
    #expect(index.failure == nil)
  }

  /// As on a file system without such locks; to wait would not help.
  @Test func aFileThatCannotBeLockedIsNoBusyFile() throws {
    let path = "\(directory.path)/index-shared"
    try FullFile.replace(#require(FullFile.descriptors(of: path).first), with: "/dev/null")
    let error = #expect(throws: SystemError.self) { try file.lock(0..<1, shared: false) }
    #expect(error?.operation == "lock")
    #expect(error?.isBusy == false)
  }
}
