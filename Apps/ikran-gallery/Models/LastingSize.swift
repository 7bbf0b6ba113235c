import IkranPixels

/// The size that a picture is loaded for while its room is resized: only one that lasts.
struct LastingSize: Sendable {
  /// The size that was loaded.
  private(set) var loaded: PixelSize?
  /// The size of the last frame, where it has not been loaded.
  private(set) var awaited: PixelSize?

  /// Loads a size at once.
  mutating func load(_ size: PixelSize) { (loaded, awaited) = (size, nil) }

  /// The room has this size in a frame.
  ///
  /// - Returns: Whether ``lasts(_:)`` is to be called with it a moment later.
  mutating func see(_ size: PixelSize) -> Bool {
    guard size != awaited else { return false }
    awaited = size == loaded ? nil : size
    return awaited != nil
  }

  /// A moment has passed since a size was seen first.
  ///
  /// - Returns: Whether the room still has it, so that it is to be loaded.
  mutating func lasts(_ size: PixelSize) -> Bool {
    guard size == awaited else { return false }
    load(size)
    return true
  }

  /// Waits for no size any more.
  mutating func cancel() { awaited = nil }
}
