import IkranPixels
import IkranStores

/// The formats of an entity cache and their tables: drawing and looking up, with no waiting.
struct EntityTables: Sendable {
  /// Formats in the order they were registered.
  let formats: [TableFormat]
  private let tables: [String: ImageTable]
  /// Called with every failure, also with those that are skipped.
  let onError: @Sendable (ImageError) -> Void

  /// Opens a table for each format.
  ///
  /// A table that fails for reasons of its file is reported, and its images are drawn again each
  /// time.
  ///
  /// - Throws: ``ImageError/table(_:)`` when the formats make no sense.
  init(
    directory: String,
    formats: [TableFormat],
    onError: @escaping @Sendable (ImageError) -> Void
  ) throws(ImageError) {
    self.formats = formats
    self.onError = onError
    guard !formats.isEmpty else { throw .table(.invalidFormat(reason: "there is none")) }
    var tables: [String: ImageTable] = [:]
    var names: Set<String> = []
    do throws(SystemError) { try Files.createDirectories(directory) } catch {
      onError(.table(.system(error)))
    }
    for format in formats {
      guard names.insert(format.name).inserted else {
        throw .table(.invalidFormat(reason: "two are called “\(format.name)”"))
      }
      do throws(TableError) {
        tables[format.name] = try ImageTable(at: directory, format: format)
      } catch .invalidFormat(let reason) {
        throw .table(.invalidFormat(reason: reason))
      } catch {
        onError(.table(error))
      }
    }
    self.tables = tables
  }

  /// The format called `name`.
  ///
  /// - Throws: ``ImageError/invalidRequest(_:)``.
  func format(_ name: String) throws(ImageError) -> TableFormat {
    if let format = formats.first(where: { $0.name == name }) { return format }
    let known = formats.map(\.name).joined(separator: ", ")
    throw .invalidRequest("there is no format “\(name)”; register it beside \(known)")
  }

  func image(of entity: some ImageEntity, _ name: String) -> Bitmap? {
    tables[name]?.get(entity.entityID, version: entity.sourceVersionID)
  }

  func contains(_ entity: some ImageEntity, _ name: String) -> Bool {
    tables[name]?.contains(entity.entityID, version: entity.sourceVersionID) ?? false
  }

  /// The formats that are drawn together with one: its family, itself first.
  func family(of format: TableFormat) -> [TableFormat] {
    guard !format.family.isEmpty else { return [format] }
    return [format] + formats.filter { $0.family == format.family && $0.name != format.name }
  }

  func prefetch(_ entities: [any ImageEntity], _ name: String) {
    tables[name]?.prefetch(entities.map(\.entityID))
  }

  /// Draws an entity into its slot; into memory when the table cannot take it, or must not.
  func draw(
    _ source: Bitmap,
    of entity: some ImageEntity,
    _ format: TableFormat,
    stores: Bool = true
  ) -> Result<Bitmap, ImageError> {
    do {
      if stores, let image = try drawIntoTable(source, of: entity, format) {
        return .success(image)
      }
      var canvas = try Canvas(size: format.size, format: format.pixels)
      try entity.draw(source, into: &canvas, format: format)
      return .success(canvas.finish())
    } catch {
      let failure = ImageError.drawing("\(error)", format: format.name)
      onError(failure)
      return .failure(failure)
    }
  }

  /// The image in its slot, or nil when the table failed.
  ///
  /// - Throws: What the drawing throws.
  private func drawIntoTable(
    _ source: Bitmap,
    of entity: some ImageEntity,
    _ format: TableFormat
  ) throws -> Bitmap? {
    guard let table = tables[format.name] else { return nil }
    var drawing: (any Error)?
    do {
      try table.put(entity.entityID, version: entity.sourceVersionID) { canvas in
        do { try entity.draw(source, into: &canvas, format: format) } catch {
          drawing = error
          throw error
        }
      }
    } catch let error as TableError where drawing == nil {
      onError(.table(error))
      return nil
    }
    return image(of: entity, format.name)
  }

  /// Suspends every table.
  func suspend() {
    for table in tables.values {
      do throws(TableError) { try table.suspend() } catch { onError(.table(error)) }
    }
  }

  /// Ends the suspension of every table.
  func resume() { for table in tables.values { table.resume() } }

  /// Removes an entity's image, whatever its version.
  func remove(_ id: TableID, _ name: String) throws(TableError) {
    _ = try tables[name]?.remove(id)
  }

  func reset(_ name: String) throws(TableError) { try tables[name]?.reset() }
}
