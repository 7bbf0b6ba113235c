import IkranPixels

/// The parts of the decoder's working memory.
///
/// Pointers into memory that ``JPEGMemory`` owns and that must outlive the layout.
struct ProgressiveLayout {
  /// One component's part.
  struct Plane {
    /// The coefficients of all blocks, row after row.
    let coefficients: UnsafeMutablePointer<Int16>
    /// The coefficients of each block that are not zero; nil where nothing is refined.
    let history: UnsafeMutablePointer<UInt64>?
    /// Quantisation steps in the order of the coefficients.
    let quantization: UnsafeMutablePointer<UInt16>
    /// The index in a block of the coefficient before each position.
    let order: UnsafeMutablePointer<UInt8>
    /// Blocks in a row, and in all, those outside the picture included.
    let blocksPerRow, blockCount: Int
    /// Coefficients that a block has room for.
    let stride: Int
  }

  /// Bytes after a window that are readable, as ``EntropyDecoder/padding`` and what
  /// ``BitStream`` loads before it is used.
  static let padding = EntropyDecoder.padding + 8

  /// The bytes of one scan.
  let window: UnsafeMutablePointer<UInt8>
  let samples: SampleMemory
  let planes: [Plane]

  /// Lays out what a picture needs, with all coefficients zero; nil when these take more than
  /// `mostBytes`, or when there is no memory.
  init?(
    _ header: ProgressiveHeader,
    _ scale: JPEGScale,
    _ plan: ScanPlan,
    _ memory: JPEGMemory,
    mostBytes: Int
  ) {
    let windowBytes = plan.scans.reduce(0) { max($0, $1.data.count) } + Self.padding
    let counts = scale.planes.map { scale.mcusAcross * $0.across * scale.mcusDown * $0.down }
    var cleared = 0
    var offsets: [(coefficients: Int, history: Int)] = []
    for (index, plane) in scale.planes.enumerated() {
      let history = Self.aligned(counts[index] * plane.stride * 2)
      let size = plan.components[index].hasHistory ? Self.aligned(counts[index] * 8) : 0
      offsets.append((cleared, cleared + history))
      cleared += history + size
    }
    guard cleared <= mostBytes else { return nil }
    let sampleStart = cleared + Self.aligned(windowBytes)
    let tableStart = sampleStart + Self.aligned(SampleMemory.byteCount(scale))
    let tableBytes = Self.aligned(128) + Self.aligned(Self.positions)
    guard let start = memory.bytes(tableStart + tableBytes * scale.planes.count) else {
      return nil
    }
    start.initializeMemory(as: UInt8.self, repeating: 0, count: cleared)
    window = (start + cleared).assumingMemoryBound(to: UInt8.self)
    samples = SampleMemory(scale, start + sampleStart)
    planes = scale.planes.enumerated().map { index, plane in
      let tables = start + tableStart + tableBytes * index
      let history = (start + offsets[index].history).assumingMemoryBound(to: UInt64.self)
      return Plane(
        coefficients: (start + offsets[index].coefficients).assumingMemoryBound(to: Int16.self),
        history: plan.components[index].hasHistory ? history : nil,
        quantization: tables.assumingMemoryBound(to: UInt16.self),
        order: (tables + Self.aligned(128)).assumingMemoryBound(to: UInt8.self),
        blocksPerRow: scale.mcusAcross * plane.across,
        blockCount: counts[index],
        stride: plane.stride
      )
    }
    fillTables(header, scale)
  }

  /// Writes the order of each component's coefficients and its quantisation steps in that order.
  private func fillTables(_ header: ProgressiveHeader, _ scale: JPEGScale) {
    for (index, plane) in planes.enumerated() {
      CoefficientOrder.fill(
        plane.order,
        count: Self.positions,
        side: scale.planes[index].isInterpolated ? 1 : scale.planes[index].side
      )
      let tables = header.tables
      let quantization = tables.quantization[tables.components[index].quantizationTable]
      plane.quantization.initialize(repeating: 1, count: 64)
      // From the last to the first: the first of those that share an element counts.
      for (zigzag, step) in quantization.enumerated().reversed() {
        plane.quantization[Int(plane.order[zigzag + 1])] = step
      }
    }
  }

  /// The elements of ``Plane/order``: 64 and one.
  private static let positions = 65

  /// Vector stores may write a little after the end.
  private static func aligned(_ count: Int) -> Int { (count + 127) & ~63 }
}
