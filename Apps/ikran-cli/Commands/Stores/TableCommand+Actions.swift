import Ikran
import IkranStores

extension TableCommand {
  func run(_ output: Output) async throws -> Int32 {
    guard action != .create else { return try create(output) }
    let table = try ImageTable(opening: path)
    switch action {
    case .create, .stat: try output.report(.object(facts(table)), asJSON: isJSON)
    case .put: try await put(into: table, output)
    case .get: try get(from: table, output)
    case .list: try list(table, output)
    case .verify: return try verify(table, output)
    case .compact:
      let before = table.statistics.fileByteCount
      try table.compact()
      let freed = max(0, before - table.statistics.fileByteCount)
      try output.report(.object(facts(table) + [("freed", .integer(freed))]), asJSON: isJSON)
    }
    return 0
  }

  private func create(_ output: Output) throws -> Int32 {
    guard let format else { throw Failure("\(path) is no name of a table") }
    guard !Files.exists(path) else {
      throw Failure("\(path) exists; remove it first, or choose another name")
    }
    let folder = try Files.absolute(path).dropLast(format.fileName().utf8.count)
    let table = try ImageTable(at: folder == "/" ? "/" : String(folder.dropLast()), format: format)
    try output.report(.object(facts(table)), asJSON: isJSON)
    return 0
  }

  private func put(into table: ImageTable, _ output: Output) async throws {
    guard let id, let input else { return }
    let bytes = try await input.bytes()
    let workspace = Workspace()
    let size = table.format.size
    let style = style ?? .fill(width: Double(size.width), height: Double(size.height))
    let decoded: Bitmap
    do throws(DecodeError) {
      decoded = try CodecList.isolatedStandard.decode(
        bytes.span,
        fitting: try fitting(style),
        workspace: workspace
      ).bitmap
    } catch {
      throw ImageError.decode(error, url: input.name)
    }
    let version = version ?? TableID(bytes: bytes)
    try table.put(
      id,
      version: version,
      style.applyFiltersAndEdges(decoded, scale: 1, workspace: workspace)
    )
    let facts: JSON = [
      "table": .string(table.path), "id": .string("\(id)"), "version": .string("\(version)"),
    ]
    try output.report(facts, asJSON: isJSON)
  }

  private func fitting(_ style: Style) throws(DecodeError) -> Fitting {
    // The parser has refused styles that make no sense.
    (try? style.fitting(scale: 1)) ?? .original
  }

  private func get(from table: ImageTable, _ output: Output) throws {
    guard let id else { return }
    guard let image = table.get(id, version: version) else {
      throw Failure("\(path) has no image under \(id)\(version.map { " of version \($0)" } ?? "")")
    }
    if !isJSON || destination.path != nil { try destination.write(image, output) }
    guard isJSON else { return }
    let facts: JSON = [
      "table": .string(table.path), "id": .string("\(id)"),
      "width": .integer(image.width), "height": .integer(image.height),
      "pixels": .string(Pixels(image.format).rawValue),
    ]
    try output.report(facts, asJSON: true)
  }

  private func list(_ table: ImageTable, _ output: Output) throws {
    for entry in try table.entries() {
      let facts: JSON = [
        "id": .string("\(entry.id)"), "version": .string("\(entry.version)"),
        "lastUse": .integer(Int(clamping: entry.lastUse)), "held": .bool(entry.isHeld),
      ]
      try output.line(isJSON ? facts.text : "\(entry.id) \(entry.version)")
    }
  }

  private func verify(_ table: ImageTable, _ output: Output) throws -> Int32 {
    let found = try table.verify()
    let result: [(key: String, value: JSON)] = [
      ("checked", .integer(found.checked)),
      ("dropped", .integer(found.dropped)),
      ("directoryWasRebuilt", .bool(found.directoryWasRebuilt)),
    ]
    try output.report(.object(facts(table) + result), asJSON: isJSON)
    guard found.dropped > 0 || found.directoryWasRebuilt else { return 0 }
    output.complain(
      table.isReadOnly
        ? "the table is damaged: \(found.dropped) entries cannot be read"
        : "the table was damaged: \(found.dropped) entries were dropped"
    )
    return 1
  }

  private func facts(_ table: ImageTable) -> [(key: String, value: JSON)] {
    let format = table.format
    let statistics = table.statistics
    return [
      ("table", .string(table.path)),
      ("name", .string(format.name)),
      ("family", .string(format.family)),
      ("width", .integer(format.size.width)),
      ("height", .integer(format.size.height)),
      ("pixels", .string(Pixels(format.pixels).rawValue)),
      ("maximumCount", .integer(format.maximumCount)),
      ("byteLimit", .integer(orNull: format.byteLimit)),
      ("bytesPerRow", .integer(table.bytesPerRow)),
      ("slotBytes", .integer(table.slotByteCount)),
      ("entries", .integer(statistics.count)),
      ("held", .integer(statistics.held)),
      ("bytes", .integer(statistics.byteCount)),
      ("fileBytes", .integer(statistics.fileByteCount)),
    ]
  }
}
