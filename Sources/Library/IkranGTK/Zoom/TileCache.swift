import IkranViews

/// Tiles that were decoded; those that were not drawn for longest leave first.
@MainActor
struct TileCache {
  private struct Entry {
    let picture: DrawableBitmap
    var lastUse: Int
  }

  /// The most bytes of pixels.
  private(set) var byteLimit: Int
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
  ///
  /// - Returns: False for one that takes more than all may.
  mutating func insert(_ picture: DrawableBitmap, as tile: ZoomTile) -> Bool {
    remove(tile)
    let bytes = picture.bitmap.byteCount
    guard bytes <= byteLimit else { return false }
    makeRoom(for: bytes)
    uses += 1
    entries[tile] = Entry(picture: picture, lastUse: uses)
    byteCount += bytes
    return true
  }

  /// Chooses how much all may take; tiles leave where they take more.
  mutating func limit(to bytes: Int) {
    byteLimit = bytes
    makeRoom(for: 0)
  }

  private mutating func makeRoom(for bytes: Int) {
    while byteCount + bytes > byteLimit,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    { remove(oldest) }
  }

  private mutating func remove(_ tile: ZoomTile) {
    if let entry = entries.removeValue(forKey: tile) { byteCount -= entry.picture.bitmap.byteCount }
  }
}
