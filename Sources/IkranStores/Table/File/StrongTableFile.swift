import IkranPixels

/// A strong reference to a table's file, which retrieved pictures retain instead of the file.
///
/// Each `TableFile` has weak references to it, so that it is opened only once, and an object with
/// weak references takes several times as long to retain and release.
final class StrongTableFile: PixelLender {
  let file: TableFile

  init(_ file: TableFile) { self.file = file }

  func takeBack(_ slot: Int) { file.unpin(slot) }
}
