import IkranServer
import IkranStores

/// The pictures to show, and the server inside that has them when there is no other.
struct GallerySource: Sendable {
  let found: ItemList.Found
  private let images: Arguments.Images
  /// Serves as long as it exists.
  let origin: Origin?

  /// Reads a list or a folder, or starts the origin.
  ///
  /// - Parameters:
  ///   - images: What to show.
  ///   - stills: Whether no portrait blinks: what is measured is the same in all modes.
  /// - Throws: `SystemError` or `ServerError`.
  init(_ images: Arguments.Images, stills: Bool) throws {
    self.images = images
    switch images {
    case .list(let path): (found, origin) = (.init(items: try ItemList.read(path)), nil)
    case .folder(let path): (found, origin) = (try ItemList.folder(path), nil)
    case .paths(let paths): (found, origin) = (try ItemList.files(paths), nil)
    case .portraits(let count):
      // They never change, so that what is kept of them may be used without asking.
      let faults = Faults(maxAge: 30 * 86_400)
      let origin = try Origin(.portraits(count: count), faults: faults)
      self.origin = origin
      let items = origin.urls.enumerated().map { number, url in
        let blinks = number % 10 == 4
        // As a JPEG none does.
        let location = blinks && stills ? "\(origin.baseURL)/avatars/\(number).jpg" : url
        return Item(name: PortraitNames.name(number), location: location)
      }
      found = .init(items: items)
    }
  }

  /// What is there now, of what was named; files that have gone are skipped.
  ///
  /// - Throws: `SystemError` when a list or a folder cannot be read.
  @concurrent
  func readAgain() async throws(SystemError) -> ItemList.Found {
    switch images {
    case .list(let path): .init(items: try ItemList.read(path))
    case .folder(let path): try ItemList.folder(path)
    case .paths(let paths): try ItemList.files(paths, skipsMissing: true)
    case .portraits: found
    }
  }
}
