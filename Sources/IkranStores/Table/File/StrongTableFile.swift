import IkranPixels

/// A strong reference to a table's file, which retrieved pictures retain instead of the file.
///
/// Each `TableFile` has weak references to it, so that it is opened only once, and an object with
/// weak references takes several times as long to retain and release.
final class StrongTableFile: PixelOwner {
  let file: TableFile

  init(_ file: TableFile) { self.file = file }

  static func unpin(_ slot: Int, of owner: Unmanaged<AnyObject>) {
    owner._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Self.self).file.unpin(slot) }
  }
}
