import IkranPixels

/// Where the decoder's working memory is.
///
/// Pointers into memory that ``BaselineMemory`` lends; whoever holds a layout holds that too.
struct BaselineLayout {
  /// MCUs that are decoded before their blocks are transformed: few enough for the nearest cache.
  static let mcusAtOnce = 16

  let window: UnsafeMutablePointer<UInt8>
  /// Running DC values, one a component.
  let predictions: UnsafeMutablePointer<Int>
  /// Places of coefficients: natural order, then the first sixteen in zigzag order.
  let natural, first16: UnsafeMutablePointer<UInt8>
  /// A block that is written and never read.
  let unread: UnsafeMutablePointer<Int16>
  /// For each component: quantisation steps, coefficients of some MCUs, two rows of MCUs of samples.
  let steps: [UnsafeMutablePointer<UInt16>]
  let coefficients: [UnsafeMutablePointer<Int16>]
  let samples: [UnsafeMutablePointer<UInt8>]
  /// Bytes from one row of samples to the next.
  let strides: [Int]
  /// Two rows of enlarged chroma, and the sums they are made from.
  let blue, red: UnsafeMutablePointer<UInt8>
  let sums: UnsafeMutablePointer<UInt16>

  /// Lays out what a picture needs; nil when there is no memory.
  init?(_ scale: BaselineScale, _ memory: BaselineMemory) {
    var total = 0
    func place(_ bytes: Int) -> Int {
      defer { total += (bytes + 127) & ~63 }
      return total
    }
    let orders = place(2 * EntropyDecoder.orderCount)
    let window = place(EntropyReader.byteCount)
    let predictions = place(3 * MemoryLayout<Int>.stride)
    let unread = place(128)
    let strides = scale.planes.map { (scale.mcusAcross * $0.across * $0.side + 127) & ~63 }
    let steps = scale.planes.map { _ in place(128) }
    let coefficients = scale.planes.map {
      place(Self.mcusAtOnce * $0.across * $0.down * $0.stride * 2)
    }
    let samples = zip(scale.planes, strides).map { place(2 * $0.rows * $1) }
    let enlarged = scale.size.width + 64
    let (blue, red, sums) = (place(enlarged), place(enlarged), place(2 * enlarged))
    guard let start = memory.bytes(total) else { return nil }
    func bound<T>(_ offset: Int, _: T.Type) -> UnsafeMutablePointer<T> {
      (start + offset).assumingMemoryBound(to: T.self)
    }
    self.window = bound(window, UInt8.self)
    self.predictions = bound(predictions, Int.self)
    self.unread = bound(unread, Int16.self)
    natural = bound(orders, UInt8.self)
    first16 = natural + EntropyDecoder.orderCount
    self.strides = strides
    self.steps = steps.map { bound($0, UInt16.self) }
    self.coefficients = coefficients.map { bound($0, Int16.self) }
    self.samples = samples.map { bound($0, UInt8.self) }
    self.blue = bound(blue, UInt8.self)
    self.red = bound(red, UInt8.self)
    self.sums = bound(sums, UInt16.self)
    self.predictions.initialize(repeating: 0, count: 3)
    fillOrders()
  }

  /// Writes a component's quantisation steps in the order of its coefficients.
  func fillSteps(_ component: Int, of side: Int, from zigzag: ArraySlice<UInt16>) {
    for (index, step) in zigzag.enumerated() {
      if side >= 4 {
        steps[component][Int(natural[index])] = step
      } else {
        steps[component][index] = step
      }
    }
  }

  private func fillOrders() {
    natural.initialize(repeating: 63, count: EntropyDecoder.orderCount)
    first16.initialize(repeating: 15, count: EntropyDecoder.orderCount)
    var (x, y) = (0, 0)
    for index in 0..<64 {
      natural[index] = UInt8(y * 8 + x)
      if index < 16 { first16[index] = UInt8(index) }
      // Up even diagonals, down odd ones.
      if (x + y) % 2 == 0 {
        if x == 7 { y += 1 } else if y == 0 { x += 1 } else { (x, y) = (x + 1, y - 1) }
      } else {
        if y == 7 { x += 1 } else if x == 0 { y += 1 } else { (x, y) = (x - 1, y + 1) }
      }
    }
  }
}
