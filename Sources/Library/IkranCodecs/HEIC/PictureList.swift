#if HEIC
import IkranPixels

/// The pictures of a HEIF file that are shown for themselves.
struct PictureList {
  /// Their items: that of the picture that stands for the file, then the others in the order of the
  /// file.
  let items: [Int]

  /// How pictures may be coded, or what they may be made of: coded pictures, grids, turned pictures
  /// and overlays.
  static let kinds: Set = ["hvc1", "av01", "grid", "iden", "iovl"]

  /// Leaves out hidden pictures, thumbnails, auxiliary pictures as alpha and depth, and gain maps.
  init(_ table: ItemTable, _ bytes: Span<UInt8>) {
    var others: Set<Int> = [table.primary]
    for role in ["thmb", "auxl"] {
      table.forEachReference(role, in: bytes) { item, _ in
        others.insert(item)
        return true
      }
    }
    var (shown, tones): ([Int], Set<Int>) = ([], [])
    table.forEachEntry(bytes) { item, type, isHidden in
      if Self.kinds.contains(type), !isHidden { shown.append(item) }
      if type == "tmap" { tones.insert(item) }
    }
    // A picture for bright screens is made of a picture and of the gain map that follows it.
    table.forEachReference("dimg", in: bytes) { item, targets in
      if tones.contains(item) { others.formUnion(targets.dropFirst()) }
      return true
    }
    items = [table.primary] + shown.filter { others.insert($0).inserted }
  }
}
#endif
