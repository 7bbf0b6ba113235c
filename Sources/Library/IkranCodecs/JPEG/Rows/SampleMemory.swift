import IkranPixels

/// Memory for the samples of two rows of MCUs, and for enlarging one row of them.
///
/// Pointers into memory that must outlive it.
struct SampleMemory {
  /// One component's part.
  struct Plane {
    /// The samples.
    let start: UnsafeMutablePointer<UInt8>
    /// Bytes from one row of samples to the next.
    let stride: Int
    /// A row of samples at the size of the result.
    let enlarged: UnsafeMutablePointer<UInt8>
  }

  /// Working memory to enlarge chroma.
  let columnSums: UnsafeMutablePointer<UInt16>
  let planes: [Plane]

  /// Lays out ``byteCount(_:)`` bytes, aligned to 64.
  init(_ scale: JPEGScale, _ start: UnsafeMutableRawPointer) {
    columnSums = start.assumingMemoryBound(to: UInt16.self)
    var next = start + Self.aligned(2 * Self.rowBytes(scale))
    planes = scale.planes.map { plane in
      let stride = Self.stride(plane, scale)
      let samples = next
      let enlarged = samples + Self.aligned(2 * plane.rows * stride)
      next = enlarged + Self.aligned(Self.rowBytes(scale))
      return Plane(
        start: samples.assumingMemoryBound(to: UInt8.self),
        stride: stride,
        enlarged: enlarged.assumingMemoryBound(to: UInt8.self)
      )
    }
  }

  /// Bytes that a picture needs.
  static func byteCount(_ scale: JPEGScale) -> Int {
    scale.planes.reduce(aligned(2 * rowBytes(scale))) { total, plane in
      total + aligned(2 * plane.rows * stride(plane, scale)) + aligned(rowBytes(scale))
    }
  }

  private static func rowBytes(_ scale: JPEGScale) -> Int { scale.size.width + 64 }

  private static func stride(_ plane: JPEGScale.Plane, _ scale: JPEGScale) -> Int {
    (scale.mcusAcross * plane.across * plane.side + 127) & ~63
  }

  /// Vector stores may write a little after the end.
  private static func aligned(_ count: Int) -> Int { (count + 127) & ~63 }
}
