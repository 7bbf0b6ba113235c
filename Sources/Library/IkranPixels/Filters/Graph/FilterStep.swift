/// One thing that a filter does to a picture.
enum FilterStep: Sendable {
  /// Each pixel by itself; neighbours of this kind share a pass.
  case point(PointStep)
  /// The whole picture, of four bytes per pixel.
  case picture(@Sendable (Bitmap, Workspace) throws(FilterError) -> Bitmap)
}

extension FilterStep {
  /// A step for the whole picture.
  static func whole(
    _ body: @escaping @Sendable (Bitmap, Workspace) throws(BitmapError) -> Bitmap
  ) -> FilterStep {
    .picture { (picture, workspace) throws(FilterError) in
      do throws(BitmapError) { return try body(picture, workspace) } catch { throw .bitmap(error) }
    }
  }
}
