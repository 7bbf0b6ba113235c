import IkranPixels
import IkranStores

/// A folder of image tables, as their owner sees it; other files in it are left alone.
package struct TableFolder: Sendable {
  package let directory: String

  package init(_ directory: String) { self.directory = directory }

  /// The folder of a cache's tables.
  package init(ofCache directory: String) { self.init(directory + "/tables") }

  /// The files that are named as tables, sorted; none when there is no folder.
  package var paths: [String] {
    // A folder that cannot be read has no tables for us.
    let names = (try? Files.list(directory)) ?? []
    return names.filter { $0.hasSuffix(".table") }.map { "\(directory)/\($0)" }
  }

  /// Opens every table; files of other versions are skipped.
  package func tables() throws(TableError) -> [ImageTable] {
    var tables: [ImageTable] = []
    for path in paths {
      do throws(TableError) {
        tables.append(try ImageTable(opening: path))
      } catch {
        guard error.isAboutTheFile else { throw error }
      }
    }
    return tables
  }

  /// Removes the images longest unused of each table until all together keep the limit.
  ///
  /// Every table keeps the same share of what it has.
  ///
  /// - Returns: The number of images removed.
  @discardableResult
  package static func trim(
    _ tables: [ImageTable],
    toBytes limit: Int
  ) throws(TableError) -> Int {
    let bytes = tables.map(\.statistics.byteCount)
    let total = bytes.reduce(0, +)
    guard total > limit else { return 0 }
    var removed = 0
    for (table, bytes) in zip(tables, bytes) where bytes > 0 {
      let share = Double(bytes) * (Double(max(0, limit)) / Double(total))
      removed += try table.trim(toBytes: Int(share))
    }
    return removed
  }
}

extension ImageTable {
  /// Removes the images longest unused until the rest keeps the limit, and gives their room back.
  ///
  /// - Returns: The number of images removed.
  @discardableResult
  package func trim(toBytes limit: Int) throws(TableError) -> Int {
    let unused = try entries()
    var removed = 0
    for entry in unused.dropFirst(max(0, limit) / slotByteCount) {
      removed += try remove(entry.id) ? 1 : 0
    }
    if removed > 0 { try compact() }
    return removed
  }
}
