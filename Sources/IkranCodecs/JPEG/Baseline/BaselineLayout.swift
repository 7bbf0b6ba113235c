import IkranPixels

/// Where the decoder's working memory is.
///
/// Pointers into memory that ``BaselineMemory`` lends; whoever holds a layout holds that too.
struct BaselineLayout {
  /// One component's part.
  struct Plane {
    /// Quantisation steps in the order of the coefficients.
    let steps: UnsafeMutablePointer<UInt16>
    /// The coefficients of some MCUs, row after row.
    let coefficients: UnsafeMutablePointer<Int16>
    /// The samples of two rows of MCUs.
    let samples: UnsafeMutablePointer<UInt8>
    /// Bytes from one row of samples to the next.
    let stride: Int
    /// Where the coefficient before each position goes.
    let order: UnsafeMutablePointer<UInt8>
    /// A row of samples at the size of the result.
    let enlarged: UnsafeMutablePointer<UInt8>
  }

  /// MCUs that are decoded before their blocks are transformed: few enough for the nearest cache.
  static let mcusAtOnce = 16

  let window: UnsafeMutablePointer<UInt8>
  /// Where blocks are decoded from guesses; nil where they are decoded one by one.
  let guess: EntropyGuess.Memory?
  /// Running DC values, one a component.
  let sums: UnsafeMutablePointer<Int>
  /// The blocks of some MCUs that are shown and of as many that are not.
  let shown, passed: UnsafeMutablePointer<BlockSlot>
  /// Where the DC of blocks that are not shown goes.
  private let unseen: UnsafeMutablePointer<Int16>
  /// Working memory to enlarge chroma.
  let columnSums: UnsafeMutablePointer<UInt16>
  let planes: [Plane]

  /// Lays out what a picture needs; nil when there is no memory.
  init?(_ scale: BaselineScale, _ memory: BaselineMemory, guesses: Bool) {
    let slots = Self.mcusAtOnce * scale.blocksOfMCU * MemoryLayout<BlockSlot>.stride
    let positions = EntropyDecoder.positions
    let row = scale.size.width + 64
    let strides = scale.planes.map { (scale.mcusAcross * $0.across * $0.side + 127) & ~63 }
    let sizes = [
      EntropyReader.byteCount(guesses: guesses), 3 * MemoryLayout<Int>.stride, slots, slots, 2,
      2 * row,
    ]
    let guessSizes = guesses ? Self.guessSizes(scale) : [0, 0, 0]
    let planeSizes = zip(scale.planes, strides).flatMap { plane, stride in
      [
        128, Self.mcusAtOnce * plane.across * plane.down * plane.stride * 2,
        2 * plane.rows * stride, positions, row,
      ]
    }
    var offsets: [Int] = []
    var total = 0
    for size in sizes + guessSizes + planeSizes {
      offsets.append(total)
      // Vectors may write, but not count, a little more.
      total += (size + 127) & ~63
    }
    guard let start = memory.bytes(total) else { return nil }
    func bound<T>(_ index: Int, _: T.Type) -> UnsafeMutablePointer<T> {
      (start + offsets[index]).assumingMemoryBound(to: T.self)
    }
    window = bound(0, UInt8.self)
    let guessMemory = EntropyGuess.Memory(
      stretches: bound(6, EntropyStretch.self),
      starts: bound(7, UInt32.self),
      values: bound(8, Int16.self)
    )
    guess = guesses ? guessMemory : nil
    sums = bound(1, Int.self)
    shown = bound(2, BlockSlot.self)
    passed = bound(3, BlockSlot.self)
    unseen = bound(4, Int16.self)
    columnSums = bound(5, UInt16.self)
    planes = strides.enumerated().map { index, stride in
      Plane(
        steps: bound(9 + index * 5, UInt16.self),
        coefficients: bound(10 + index * 5, Int16.self),
        samples: bound(11 + index * 5, UInt8.self),
        stride: stride,
        order: bound(12 + index * 5, UInt8.self),
        enlarged: bound(13 + index * 5, UInt8.self)
      )
    }
    sums.initialize(repeating: 0, count: 3)
    for (plane, sizes) in zip(planes, scale.planes) { Self.fill(plane.order, side: sizes.side) }
  }

  /// Bytes of each part of ``EntropyGuess/Memory``.
  private static func guessSizes(_ scale: BaselineScale) -> [Int] {
    let coefficients = scale.planes.reduce(0) { $0 + $1.across * $1.down * $1.stride }
    let values = EntropyGuess.valueCount(coefficients, kinds: scale.blocksOfMCU)
    return [
      EntropyGuess.stretchCount * MemoryLayout<EntropyStretch>.stride,
      EntropyGuess.blockCount * MemoryLayout<UInt32>.stride, values * MemoryLayout<Int16>.stride,
    ]
  }

  /// Writes the slots of a component's blocks, MCU after MCU, row after row in each.
  ///
  /// The component's steps must be there.
  func fillSlots(
    of component: Int,
    _ scale: BaselineScale,
    dc: HuffmanTable,
    ac: HuffmanTable,
    limit: Int
  ) {
    let plane = scale.planes[component]
    let first = scale.planes[..<component].reduce(0) { $0 + $1.across * $1.down }
    var slot = BlockSlot(
      dc: dc.values,
      values: ac.values,
      skips: ac.skips,
      dcWords: dc.words,
      acWords: ac.words,
      order: planes[component].order,
      block: unseen,
      limit: 0,
      component: component,
      range: 4_096 / max(1, Int(planes[component].steps[0])),
      stride: plane.stride
    )
    for mcu in 0..<Self.mcusAtOnce {
      for y in 0..<plane.down {
        for x in 0..<plane.across {
          let index = mcu * scale.blocksOfMCU + first + y * plane.across + x
          (slot.block, slot.limit) = (unseen, 0)
          (passed + index).initialize(to: slot)
          let block = (y * Self.mcusAtOnce + mcu) * plane.across + x
          slot.block = planes[component].coefficients + block * plane.stride
          slot.limit = limit
          (shown + index).initialize(to: slot)
        }
      }
    }
  }

  /// Writes a component's quantisation steps in the order of its coefficients.
  func fillSteps(of component: Int, _ zigzag: [UInt16]) {
    for (index, step) in zigzag.enumerated() {
      planes[component].steps[Int(planes[component].order[index + 1])] = step
    }
  }

  /// Writes where the coefficients of a block of `side` samples go.
  ///
  /// They lie in natural order, or the first five in zigzag order, or the first alone. Others, and
  /// what only damage reaches, go last.
  private static func fill(_ order: UnsafeMutablePointer<UInt8>, side: Int) {
    let last: UInt8 = side >= 4 ? 63 : side == 2 ? 5 : 1
    order.initialize(repeating: last, count: EntropyDecoder.positions)
    for (index, place) in zigzag.enumerated() {
      order[index + 1] = side >= 4 ? place : min(UInt8(index), last)
    }
  }

  /// The places of coefficients in a block, in the order of the file (ITU-T T.81, figure 5).
  private static let zigzag: [UInt8] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
    13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59,
    52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
  ]
}
