import IkranPixels

/// The parts of the decoder's working memory.
///
/// Pointers into memory that ``BaselineMemory`` owns and that must outlive the layout.
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
    /// See ``BlockSlot/order``.
    let order: UnsafeMutablePointer<UInt8>
    /// A row of samples at the size of the result.
    let enlarged: UnsafeMutablePointer<UInt8>
  }

  /// MCUs that are decoded before their blocks are transformed: few enough for the L1 cache.
  static let mcusAtOnce = 16

  let window: UnsafeMutablePointer<UInt8>
  /// Memory for speculative decoding; nil where blocks are decoded one by one.
  let speculation: SpeculativeDecoder.Memory?
  /// DC predictors, one per component.
  let dcPredictors: UnsafeMutablePointer<Int>
  /// The blocks of some MCUs whose samples are needed, and of as many that are only skipped.
  let visible, skipped: UnsafeMutablePointer<BlockSlot>
  /// Receives the DC of skipped blocks.
  private let unusedDC: UnsafeMutablePointer<Int16>
  /// Working memory to enlarge chroma.
  let columnSums: UnsafeMutablePointer<UInt16>
  let planes: [Plane]

  /// Lays out what a picture needs; nil when there is no memory.
  init?(_ scale: BaselineScale, _ memory: BaselineMemory, isSpeculative: Bool) {
    let slots = Self.mcusAtOnce * scale.blocksPerMCU * MemoryLayout<BlockSlot>.stride
    let positions = EntropyDecoder.positions
    let row = scale.size.width + 64
    let strides = scale.planes.map { (scale.mcusAcross * $0.across * $0.side + 127) & ~63 }
    let sizes = [
      EntropyReader.byteCount(isSpeculative: isSpeculative), 3 * MemoryLayout<Int>.stride, slots,
      slots, 2, 2 * row,
    ]
    let segmentSizes = isSpeculative ? Self.segmentSizes(scale) : [0, 0, 0]
    let planeSizes = zip(scale.planes, strides).flatMap { plane, stride in
      [
        128, Self.mcusAtOnce * plane.across * plane.down * plane.stride * 2,
        2 * plane.rows * stride, positions, row,
      ]
    }
    var offsets: [Int] = []
    var total = 0
    for size in sizes + segmentSizes + planeSizes {
      offsets.append(total)
      // Vector stores may write a little after the end.
      total += (size + 127) & ~63
    }
    guard let start = memory.bytes(total) else { return nil }
    func bound<T>(_ index: Int, _: T.Type) -> UnsafeMutablePointer<T> {
      (start + offsets[index]).assumingMemoryBound(to: T.self)
    }
    window = bound(0, UInt8.self)
    let segments = SpeculativeDecoder.Memory(
      segments: bound(6, Segment.self),
      starts: bound(7, UInt32.self),
      values: bound(8, Int16.self)
    )
    speculation = isSpeculative ? segments : nil
    dcPredictors = bound(1, Int.self)
    visible = bound(2, BlockSlot.self)
    skipped = bound(3, BlockSlot.self)
    unusedDC = bound(4, Int16.self)
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
    dcPredictors.initialize(repeating: 0, count: 3)
    for (plane, sizes) in zip(planes, scale.planes) { Self.fill(plane.order, side: sizes.side) }
  }

  /// Bytes of each part of ``SpeculativeDecoder/Memory``.
  private static func segmentSizes(_ scale: BaselineScale) -> [Int] {
    let coefficients = scale.planes.reduce(0) { $0 + $1.across * $1.down * $1.stride }
    let blocks = scale.blocksPerMCU
    let values = SpeculativeDecoder.valueCount(coefficients, blocksPerMCU: blocks)
    return [
      SpeculativeDecoder.segmentCount * MemoryLayout<Segment>.stride,
      SpeculativeDecoder.blockCount * MemoryLayout<UInt32>.stride,
      values * MemoryLayout<Int16>.stride,
    ]
  }

  /// Writes the slots of a component's blocks, MCU after MCU, row after row in each.
  ///
  /// ``fillSteps(of:_:)`` must have been called for the component.
  func fillSlots(
    of component: Int,
    _ scale: BaselineScale,
    dc: HuffmanTable,
    ac: HuffmanTable,
    lastCoefficient: Int
  ) {
    let plane = scale.planes[component]
    let first = scale.planes[..<component].reduce(0) { $0 + $1.across * $1.down }
    var slot = BlockSlot(
      dc: dc.values,
      values: ac.values,
      skips: ac.skips,
      dcCodewords: dc.codewords,
      acCodewords: ac.codewords,
      order: planes[component].order,
      block: unusedDC,
      lastCoefficient: 0,
      component: component,
      dcLimit: 4_096 / max(1, Int(planes[component].steps[0])),
      stride: plane.stride
    )
    for mcu in 0..<Self.mcusAtOnce {
      for y in 0..<plane.down {
        for x in 0..<plane.across {
          let index = mcu * scale.blocksPerMCU + first + y * plane.across + x
          (slot.block, slot.lastCoefficient) = (unusedDC, 0)
          (skipped + index).initialize(to: slot)
          let block = (y * Self.mcusAtOnce + mcu) * plane.across + x
          slot.block = planes[component].coefficients + block * plane.stride
          slot.lastCoefficient = lastCoefficient
          (visible + index).initialize(to: slot)
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

  /// Writes the order of the coefficients in a block of `side` samples.
  ///
  /// They lie in natural order, or only the first five in zigzag order, or only the first. Others,
  /// and positions that only damaged data reaches, share the last element.
  private static func fill(_ order: UnsafeMutablePointer<UInt8>, side: Int) {
    let last: UInt8 = side >= 4 ? 63 : side == 2 ? 5 : 1
    order.initialize(repeating: last, count: EntropyDecoder.positions)
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
