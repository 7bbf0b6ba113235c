import IkranPixels

/// What pictures that were retrieved keep alive, in place of the file that it keeps alive.
///
/// Files are known weakly, so that each is opened once, and whatever somebody knows weakly takes
/// several times as long to retain and release.
final class TableLender: PixelLender {
  let file: TableFile

  init(_ file: TableFile) { self.file = file }

  func takeBack(_ slot: Int) { file.takeBack(slot) }
}
