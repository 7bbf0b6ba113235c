/// Where the coefficients of a block lie in memory.
enum CoefficientOrder {
  /// Writes the order of the coefficients in a block of `side` samples, after its first element.
  ///
  /// They lie in natural order, or only the first five in zigzag order, or only the first. Others,
  /// and positions that only damaged data reaches, share the last element.
  static func fill(_ order: UnsafeMutablePointer<UInt8>, count: Int, side: Int) {
    let last: UInt8 = side >= 4 ? 63 : side == 2 ? 5 : 1
    order.initialize(repeating: last, count: count)
    for (index, natural) in zigzag.enumerated() {
      order[index + 1] = side >= 4 ? natural : min(UInt8(index), last)
    }
  }

  /// The natural-order index of each coefficient in the order of the file (ITU-T T.81, figure 5).
  private static let zigzag: [UInt8] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
    13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59,
    52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
  ]
}
