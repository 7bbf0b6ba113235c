import CIkranKernels
import IkranPixels

/// Huffman tables and working memory, reused from one picture to the next.
final class JPEGMemory {
  private var tables: [HuffmanTable] = []
  private var start: UnsafeMutableRawPointer?
  private var byteCount = 0

  /// The memory that `workspace` owns, created if needed.
  static func of(_ workspace: Workspace) -> JPEGMemory {
    if let memory = workspace.codecMemory as? JPEGMemory { return memory }
    let memory = JPEGMemory()
    workspace.codecMemory = memory
    return memory
  }

  deinit { ikran_free(start, byteCount) }

  /// The tables of a code, reused from one of the last pictures or built; nil without memory.
  func table(for code: HuffmanCode, _ symbols: HuffmanTable.Symbols) -> HuffmanTable? {
    if let index = tables.lastIndex(where: { $0.symbols == symbols && $0.code == code }) {
      let found = tables.remove(at: index)
      tables.append(found)
      return found
    }
    guard let table = HuffmanTable(code, symbols) else { return nil }
    tables.append(table)
    if tables.count > 12 { tables.removeFirst() }
    return table
  }

  /// Uninitialised memory, valid until the next call; nil when the system refuses it.
  func bytes(_ count: Int) -> UnsafeMutableRawPointer? {
    if count > byteCount {
      ikran_free(start, byteCount)
      start = ikran_aligned_alloc(count)
      byteCount = start == nil ? 0 : count
    }
    return start
  }

  /// Frees memory that only a wide picture needs.
  func trim() {
    guard byteCount > 3 << 20 else { return }
    ikran_free(start, byteCount)
    (start, byteCount) = (nil, 0)
  }
}
