import Ikran

/// The pictures that are shown, each once: views of the same pixels share what their host has made
/// of them.
///
/// It keeps none alive: a picture ends with the last view that shows it.
@MainActor
final class DrawableCache {
  static let shared = DrawableCache()

  private struct Entry {
    weak let picture: DrawableBitmap?
    let formats: Set<PixelFormat>
  }

  /// By the size of what they were made of.
  private var entries: [PixelSize: [Entry]] = [:]
  /// How many were added since those that have ended were removed.
  private var additions = 0

  /// The picture of some pixels.
  ///
  /// - Parameters:
  ///   - bitmap: The pixels.
  ///   - converted: The same in one of the formats, if that is there already.
  ///   - formats: Those that the host draws.
  /// - Returns: The picture that other views show, or a new one.
  /// - Throws: ``BitmapError`` when memory runs out.
  func picture(
    of bitmap: Bitmap,
    converted: Bitmap? = nil,
    as formats: Set<PixelFormat>
  ) throws(BitmapError) -> DrawableBitmap {
    for entry in entries[bitmap.size] ?? [] where entry.formats == formats {
      guard let picture = entry.picture, picture.source.sharesPixels(with: bitmap) else { continue }
      if picture.source.profile === bitmap.profile { return picture }
    }
    let picture =
      if let converted { DrawableBitmap(bitmap, converted: converted) } else {
        try DrawableBitmap(bitmap, as: formats)
      }
    removeEnded()
    entries[bitmap.size, default: []].append(Entry(picture: picture, formats: formats))
    return picture
  }

  private func removeEnded() {
    additions += 1
    guard additions >= 64 else { return }
    additions = 0
    entries = entries.compactMapValues { entries in
      let left = entries.filter { $0.picture != nil }
      return left.isEmpty ? nil : left
    }
  }
}
