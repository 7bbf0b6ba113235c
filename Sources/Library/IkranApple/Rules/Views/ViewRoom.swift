package import IkranViews

/// The room that a view has for a picture.
package enum ViewRoom {
  /// In whole points; 0 is a side that is as long as the picture makes it.
  ///
  /// - Parameters:
  ///   - size: Of the view, in points.
  ///   - window: The size of its window; nil where it is in none.
  ///   - isLaidOut: Whether the window has had the time to give the view a size.
  /// - Returns: nil while the view has no size.
  package static func points(
    _ size: (width: Double, height: Double),
    in window: (width: Double, height: Double)?,
    isLaidOut: Bool
  ) -> (width: Int, height: Int)? {
    let room = (width: points(size.width), height: points(size.height))
    if room.width > 0, room.height > 0 { return room }
    guard isLaidOut else { return nil }
    // A stack view makes an image view without an image as thin as that.
    if room.width > 0 || room.height > 0 { return room }
    guard let window else { return nil }
    let whole = (width: points(window.width), height: points(window.height))
    return whole.width > 0 && whole.height > 0 ? whole : nil
  }

  private static func points(_ side: Double) -> Int {
    side > 0 ? Int(min(side, 1e6).rounded(.up)) : 0
  }
}

extension Rectangle {
  /// Whether a part of it, however small, lies in another one.
  package func overlaps(_ other: Rectangle) -> Bool {
    x < other.x + other.width && other.x < x + width && y < other.y + other.height
      && other.y < y + height && min(width, height, other.width, other.height) > 0
  }
}
