/// Tiles that were decoded; those that were not drawn for longest leave first.
@MainActor
struct TileCache {
  private struct Entry {
    let picture: DrawableBitmap
    var lastUse: Int
  }

  /// The most bytes of pixels.
  let byteLimit: Int
  private(set) var byteCount = 0
  private var entries: [ZoomTile: Entry] = [:]
  private var uses = 0

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  func contains(_ tile: ZoomTile) -> Bool { entries[tile] != nil }

  /// A tile that is drawn now.
  mutating func use(_ tile: ZoomTile) -> DrawableBitmap? {
    uses += 1
    entries[tile]?.lastUse = uses
    return entries[tile]?.picture
  }

  /// Adds a tile; others leave where there is no room for it.
  mutating func insert(_ picture: DrawableBitmap, as tile: ZoomTile) {
    remove(tile)
    let bytes = picture.bitmap.byteCount
    while byteCount + bytes > byteLimit,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    { remove(oldest) }
    guard byteCount + bytes <= byteLimit else { return }
    uses += 1
    entries[tile] = Entry(picture: picture, lastUse: uses)
    byteCount += bytes
  }

  private mutating func remove(_ tile: ZoomTile) {
    if let entry = entries.removeValue(forKey: tile) { byteCount -= entry.picture.bitmap.byteCount }
  }
}
