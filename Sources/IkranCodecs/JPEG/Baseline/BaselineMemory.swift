import CIkranKernels
import IkranPixels

/// Huffman tables and working memory, reused from one picture to the next.
final class BaselineMemory {
  private var tables: [(isDC: Bool, table: HuffmanTable)] = []
  private var start: UnsafeMutableRawPointer?
  private var byteCount = 0

  /// The memory that `workspace` owns, created if needed.
  static func of(_ workspace: Workspace) -> BaselineMemory {
    if let memory = workspace.codecMemory as? BaselineMemory { return memory }
    let memory = BaselineMemory()
    workspace.codecMemory = memory
    return memory
  }

  deinit { ikran_free(start) }

  /// The tables of a code, reused from one of the last pictures or built; nil without memory.
  func table(for code: HuffmanCode, isDC: Bool) -> HuffmanTable? {
    if let index = tables.lastIndex(where: { $0.isDC == isDC && $0.table.code == code }) {
      let found = tables.remove(at: index)
      tables.append(found)
      return found.table
    }
    guard let table = HuffmanTable(code, isDC: isDC) else { return nil }
    tables.append((isDC, table))
    if tables.count > 12 { tables.removeFirst() }
    return table
  }

  /// Uninitialised memory, valid until the next call; nil when the system refuses it.
  func bytes(_ count: Int) -> UnsafeMutableRawPointer? {
    if count > byteCount {
      ikran_free(start)
      start = ikran_aligned_alloc(count)
      byteCount = start == nil ? 0 : count
    }
    return start
  }

  /// Frees memory that only a wide picture needs.
  func trim() {
    guard byteCount > 2 << 20 else { return }
    ikran_free(start)
    (start, byteCount) = (nil, 0)
  }
}
