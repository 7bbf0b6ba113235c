@testable import IkranPixels
@testable import IkranStores

/// Operations on a table, and what they have to give.
struct TableOperations {
  private struct Interrupted: Error {}

  private let folder: String
  private let path: String

  init(_ folder: String, _ path: String) { (self.folder, self.path) = (folder, path) }

  func run(_ input: inout InputReader, _ model: inout TableModel) {
    var table = open(isCreating: true)
    var held: [(id: Int, version: UInt64, picture: Bitmap)] = []
    for _ in 0..<100 {
      let (operation, value) = (input.byte() % 16, input.byte())
      guard let current = table else {
        if input.isAtEnd { return }
        table = open(isCreating: value & 1 == 0)
        continue
      }
      switch operation {
      case 14:
        table = nil
        table = open(isCreating: value & 1 == 0)
      case 15:
        if let (version, picture) = get(current, value % 60, model) {
          held.append((value % 60, version, picture))
        }
        if held.count > 4 { held.removeFirst() }
      default: change(current, operation, value, &model)
      }
      for (id, version, picture) in held {
        report(
          "a held picture of \(id) changed",
          unless: FuzzPicture.version(picture, of: id) == version
        )
      }
      if input.isAtEnd { break }
    }
    guard let table else { return }
    for id in 0..<60 { _ = get(table, id, model) }
    checkEntries(table)
  }

  private func open(isCreating: Bool) -> ImageTable? {
    guard isCreating else {
      guard let table = try? ImageTable(opening: path) else { return nil }
      // A header with another layout and a right checksum is a valid table.
      let format = TableTemplate.format
      return table.format.size == format.size && table.format.pixels == format.pixels ? table : nil
    }
    return try? ImageTable(at: folder, format: TableTemplate.format)
  }

  private func get(_ table: ImageTable, _ id: Int, _ model: TableModel) -> (UInt64, Bitmap)? {
    guard let picture = table.get(.number(id)) else {
      // Forty entries fit: nothing else is evicted.
      let isEvictable = model.last.count > 40 - 4 || !model.isUndamaged
      report("the picture of \(id) is lost", unless: isEvictable || model.last[id] == nil)
      return nil
    }
    guard let version = FuzzPicture.version(picture, of: id) else {
      report("a wrong picture of \(id)")
      return nil
    }
    report("version \(version) of \(id)", unless: model.allows(id, version))
    return (version, picture)
  }

  private func change(
    _ table: ImageTable,
    _ operation: Int,
    _ value: Int,
    _ model: inout TableModel
  ) {
    let id = value % 60
    switch operation {
    case 0...3: put(table, id, &model)
    case 4, 5: _ = get(table, id, model)
    case 6:
      if (try? table.remove(.number(id))) != nil {
        model.remove(id)
        report("\(id) is found after it was removed", unless: table.get(.number(id)) == nil)
      }
    case 7: interrupt(table, id, model)
    case 8:
      let version = model.last[id]
      if let version, (try? table.removeAll(version: .number(Int(version)))) != nil {
        for (other, theirs) in model.last where theirs == version { model.remove(other) }
      }
    case 9: try? table.synchronize()
    case 10: try? table.compact()
    case 11: if value & 7 == 0, (try? table.reset()) != nil { model.removeAll() }
    case 12: checkEntries(table)
    default:
      table.prefetch((0..<20).map { .number($0) })
      _ = (table.statistics, table.contains(.number(id)))
    }
  }

  private func put(_ table: ImageTable, _ id: Int, _ model: inout TableModel) {
    let version = model.newVersion()
    guard let picture = try? FuzzPicture.make(id, version) else { return report("no memory") }
    do throws(TableError) {
      try table.put(.number(id), version: .number(Int(version)), picture)
    } catch {
      return report("put failed in an undamaged table: \(error)", unless: !model.isUndamaged)
    }
    model.note(id, version)
    let found = get(table, id, model)
    report("what was put is not found", unless: found?.0 == version)
  }

  /// A drawing that throws changes nothing.
  private func interrupt(_ table: ImageTable, _ id: Int, _ model: TableModel) {
    let before = get(table, id, model)?.0
    do {
      try table.put(.number(id), version: .number(9999)) { canvas in
        canvas.withMutableBytes { bytes in for index in bytes.indices { bytes[index] = 9 } }
        throw Interrupted()
      }
    } catch {}
    report("a drawing that threw changed the entry", unless: get(table, id, model)?.0 == before)
  }

  /// Every entry is found after all were verified.
  private func checkEntries(_ table: ImageTable) {
    guard let verified = try? table.verify(), let entries = try? table.entries() else { return }
    report("more entries than were verified", unless: entries.count <= verified.checked)
    for entry in entries {
      report("an entry is not found after verifying", unless: table.get(entry.id) != nil)
    }
  }
}
