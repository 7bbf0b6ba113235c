import Ikran
import IkranPixels

/// The last placeholders that were drawn: the rows of a list often share one.
@MainActor
package final class PlaceholderCache {
  package static let shared = PlaceholderCache()

  private struct Entry {
    let placeholder: Placeholder
    /// The picture of a placeholder that is one; LeakSanitizer does not find it in an enum.
    let original: Bitmap?
    let style: Style
    let scale: Double
    let picture: DrawableBitmap
    let isStretched: Bool

    /// The memory it keeps.
    var byteCount: Int { picture.bitmap.byteCount + (original?.byteCount ?? 0) }
  }

  private static let countLimit = 32
  /// In all.
  private static let byteLimit = 16 << 20

  /// The newest is the last.
  private var entries: [Entry] = []
  /// How many were drawn.
  package private(set) var drawings = 0

  /// A placeholder with a style's size and edges; nil when that is impossible.
  func picture(
    of placeholder: Placeholder,
    _ style: Style,
    scale: Double
  ) -> (picture: DrawableBitmap, isStretched: Bool)? {
    let found = entries.lastIndex { entry in
      entry.scale == scale && entry.placeholder.isSame(as: placeholder) && entry.style == style
    }
    if let found {
      let entry = entries.remove(at: found)
      entries.append(entry)
      return (entry.picture, entry.isStretched)
    }
    guard let made = PlaceholderPicture(placeholder, style, scale: scale),
      let picture = try? DrawableBitmap(made.bitmap)
    else { return nil }
    drawings += 1
    add(
      Entry(
        placeholder: placeholder,
        original: placeholder.original,
        style: style,
        scale: scale,
        picture: picture,
        isStretched: made.isStretched
      )
    )
    return (picture, made.isStretched)
  }

  private func add(_ entry: Entry) {
    guard entry.byteCount <= Self.byteLimit else { return }
    entries.append(entry)
    var byteCount = entries.reduce(0) { $0 + $1.byteCount }
    while entries.count > Self.countLimit || byteCount > Self.byteLimit {
      byteCount -= entries.removeFirst().byteCount
    }
  }
}

extension Placeholder {
  fileprivate var original: Bitmap? {
    if case .picture(let picture) = self { picture } else { nil }
  }

  /// Whether both are one placeholder; pictures are compared by their memory, which both keep.
  func isSame(as other: Placeholder) -> Bool {
    switch (self, other) {
    case (.color(let one), .color(let other)): one == other
    case (.thumbHash(let one), .thumbHash(let other)): one == other
    case (.blurHash(let one), .blurHash(let other)): one == other
    case (.picture(let one), .picture(let other)):
      one.sharesPixels(with: other)
    default: false
    }
  }
}
