/// The rows of a picture in the order they are stored: an interlaced one has four passes (GIF89a,
/// appendix E).
struct GIFRowOrder: Sequence, IteratorProtocol {
  private let height: Int
  private var stored = 0
  private var y = 0
  private var step: Int
  private var isFirstPass: Bool

  init(height: Int, isInterlaced: Bool) {
    self.height = height
    step = isInterlaced ? 8 : 1
    isFirstPass = isInterlaced
  }

  /// The number of a stored row, and its place in the picture.
  mutating func next() -> (stored: Int, y: Int)? {
    while y >= height {
      guard step > 1 else { return nil }
      // The passes begin at rows 0, 4, 2 and 1 and take every 8th, 8th, 4th and 2nd row.
      if isFirstPass {
        isFirstPass = false
        y = 4
      } else {
        step /= 2
        guard step > 1 else { return nil }
        y = step / 2
      }
    }
    defer {
      stored += 1
      y += step
    }
    return (stored, y)
  }
}
