import IkranServer
import IkranStores

/// The pictures to show, and the server inside that has them when there is no other.
struct GallerySource: Sendable {
  let items: [Item]
  /// Serves as long as it exists.
  let origin: Origin?

  /// Reads a list or a folder, or starts the origin.
  ///
  /// - Parameters:
  ///   - images: What to show.
  ///   - stills: Whether no portrait blinks: what is measured is the same in all modes.
  /// - Throws: `SystemError` or `ServerError`.
  init(_ images: Arguments.Images, stills: Bool) throws {
    switch images {
    case .list(let path): (items, origin) = (try ItemList.read(path), nil)
    case .folder(let path): (items, origin) = (try ItemList.folder(path), nil)
    case .paths(let paths): (items, origin) = (try ItemList.files(paths), nil)
    case .portraits(let count):
      // They never change, so that what is kept of them may be used without asking.
      let faults = Faults(maxAge: 30 * 86_400)
      let origin = try Origin(.portraits(count: count), faults: faults)
      self.origin = origin
      items = origin.urls.enumerated().map { number, url in
        let blinks = number % 10 == 4
        // As a JPEG none does.
        let location = blinks && stills ? "\(origin.baseURL)/avatars/\(number).jpg" : url
        return Item(name: PortraitNames.name(number), location: location)
      }
    }
  }
}
