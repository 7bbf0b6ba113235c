import IkranPixels

/// The parts of the decoder's working memory.
///
/// Pointers into memory that ``JPEGMemory`` owns and that must outlive the layout.
struct BaselineLayout {
  /// One component's part.
  struct Plane {
    /// Quantisation steps in the order of the coefficients.
    let quantization: UnsafeMutablePointer<UInt16>
    /// The coefficients of some MCUs, row after row.
    let coefficients: UnsafeMutablePointer<Int16>
    /// See ``BlockSlot/order``.
    let order: UnsafeMutablePointer<UInt8>
  }

  /// MCUs that are decoded before their blocks are transformed: few enough for the L1 cache.
  static let mcusAtOnce = 16

  let window: UnsafeMutablePointer<UInt8>
  /// Memory for speculative decoding; nil where blocks are decoded one by one.
  let segments: SegmentDecoder.Memory?
  /// Room for ``WindowsAhead/count``.
  let windowsAhead: UnsafeMutablePointer<WindowsAhead.Window>
  /// DC predictors, one per component.
  let dcPredictors: UnsafeMutablePointer<Int>
  /// The blocks of some MCUs whose samples are needed, and of as many that are only skipped.
  let visible, skipped: UnsafeMutablePointer<BlockSlot>
  /// Receives the DC of skipped blocks.
  private let unusedDC: UnsafeMutablePointer<Int16>
  let samples: SampleMemory
  let planes: [Plane]

  /// Lays out what a picture needs; nil when there is no memory.
  init?(_ scale: JPEGScale, _ memory: JPEGMemory, isSpeculative: Bool) {
    let slots = Self.mcusAtOnce * scale.blocksPerMCU * MemoryLayout<BlockSlot>.stride
    let positions = EntropyDecoder.positions
    let sizes = [
      EntropyReader.byteCount(isSpeculative: isSpeculative), 3 * MemoryLayout<Int>.stride, slots,
      slots, 2, SampleMemory.byteCount(scale),
      WindowsAhead.count * MemoryLayout<WindowsAhead.Window>.stride,
    ]
    let segmentSizes = isSpeculative ? Self.segmentSizes(scale) : [0, 0, 0]
    var offsets: [Int] = []
    offsets.reserveCapacity(sizes.count + segmentSizes.count + 3 * scale.planes.count)
    var total = 0
    func add(_ size: Int) {
      offsets.append(total)
      // Vector stores may write a little after the end.
      total += (size + 127) & ~63
    }
    for size in sizes { add(size) }
    for size in segmentSizes { add(size) }
    for plane in scale.planes {
      add(128)
      add(Self.mcusAtOnce * plane.across * plane.down * plane.stride * 2)
      add(positions)
    }
    guard let start = memory.bytes(total) else { return nil }
    func bound<T>(_ index: Int, _: T.Type) -> UnsafeMutablePointer<T> {
      (start + offsets[index]).assumingMemoryBound(to: T.self)
    }
    window = bound(0, UInt8.self)
    windowsAhead = bound(6, WindowsAhead.Window.self)
    let segments = SegmentDecoder.Memory(
      segments: bound(7, Segment.self),
      starts: bound(8, UInt32.self),
      values: bound(9, Int16.self),
      blockCount: SegmentDecoder.allBlocks
    )
    self.segments = isSpeculative ? segments : nil
    dcPredictors = bound(1, Int.self)
    visible = bound(2, BlockSlot.self)
    skipped = bound(3, BlockSlot.self)
    unusedDC = bound(4, Int16.self)
    samples = SampleMemory(scale, start + offsets[5])
    planes = scale.planes.indices.map { index in
      Plane(
        quantization: bound(10 + index * 3, UInt16.self),
        coefficients: bound(11 + index * 3, Int16.self),
        order: bound(12 + index * 3, UInt8.self)
      )
    }
    dcPredictors.initialize(repeating: 0, count: 3)
    for (plane, sizes) in zip(planes, scale.planes) {
      CoefficientOrder.fill(plane.order, count: positions, side: sizes.side)
    }
  }

  /// Bytes of each part of ``SegmentDecoder/Memory``.
  private static func segmentSizes(_ scale: JPEGScale) -> [Int] {
    let coefficients = scale.planes.reduce(0) { $0 + $1.across * $1.down * $1.stride }
    let blocks = scale.blocksPerMCU
    let values = SegmentDecoder.valueCount(coefficients, blocksPerMCU: blocks)
    return [
      WindowsAhead.count * SegmentDecoder.segmentCount * MemoryLayout<Segment>.stride,
      SegmentDecoder.allBlocks * MemoryLayout<UInt32>.stride,
      values * MemoryLayout<Int16>.stride,
    ]
  }

  /// Writes the slots of a component's blocks, MCU after MCU, row after row in each.
  ///
  /// ``fillSteps(of:_:)`` must have been called for the component.
  func fillSlots(
    of component: Int,
    _ scale: JPEGScale,
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
      dcLimit: 4_096 / max(1, Int(planes[component].quantization[0])),
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
  func fillQuantization(of component: Int, _ zigzag: [UInt16]) {
    for (index, step) in zigzag.enumerated() {
      planes[component].quantization[Int(planes[component].order[index + 1])] = step
    }
  }
}
