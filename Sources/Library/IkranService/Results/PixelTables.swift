import IkranPixels
import IkranStores

/// Tables of finished pixels, one for each size of the settings, which other programs on this
/// machine map.
final class PixelTables: Sendable {
  /// Part of each id: results of other settings are others.
  let fingerprint: String
  private let tables: [PixelSize: ImageTable]

  /// Opens the tables, or makes them; nil where the settings name no sizes.
  ///
  /// - Throws: ``TableError``, or ``SettingsError`` where there is no folder for them.
  init?(_ sizes: [PixelSize], cache: CacheSettings, fingerprint: String) throws {
    guard !sizes.isEmpty else { return nil }
    guard let folder = cache.folder else {
      throw SettingsError(
        variable: "IKRAN_TABLES",
        value: sizes.map { "\($0)" }.joined(separator: ","),
        expected: "a cache folder for the tables, or no such variable"
      )
    }
    var tables: [PixelSize: ImageTable] = [:]
    for size in sizes {
      let limit = max(1, cache.diskBytes / 4 / sizes.count)
      let name = "\(size.width)x\(size.height)"
      let format = TableFormat(name, size: size, maximumCount: 1_000_000, byteLimit: limit)
      let table = try ImageTable(at: folder + "/pixels", format: format)
      guard table.slotByteCount <= limit / 8 else {
        throw SettingsError(
          variable: "IKRAN_TABLES",
          value: name,
          expected: "fewer or smaller sizes: \(limit >> 20) MB have to hold eight pictures of each"
        )
      }
      tables[size] = table
    }
    (self.fingerprint, self.tables) = (fingerprint, tables)
  }

  /// The table of a size.
  ///
  /// - Throws: ``ServiceError/option(name:reason:)`` where the settings do not name that size.
  func table(of size: PixelSize) throws(ServiceError) -> ImageTable {
    guard let table = tables[size] else {
      throw .path(
        reason:
          "the result has \(size.width)x\(size.height) pixels, which IKRAN_TABLES does not name"
      )
    }
    return table
  }
}
