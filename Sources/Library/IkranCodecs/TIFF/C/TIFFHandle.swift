#if TIFF
import CTIFF
import IkranPixels

/// One TIFF file that libtiff reads, from bytes that outlive it.
struct TIFFHandle: ~Copyable {
  /// How the pixels are read.
  enum Reading {
    /// Strips or tiles, each at once.
    case blocks
    /// One row after the other of strips that are large.
    case rows
    /// Strips or tiles that libtiff makes pixels of.
    case pictures
  }

  /// Bytes that samples may take before they become pixels: those of a strip, or of a row of tiles.
  static let memoryLimit = 400 << 20
  /// Bytes of a strip that is read at once; rows of a larger one are read one by one.
  static let largestStrip = 4 << 20

  let file: OpaquePointer
  private let source: UnsafeMutablePointer<ikran_tiff_source>
  let layout: ikran_tiff_layout
  let reading: Reading

  /// `TIFFClientOpenExt`, and `TIFFSetSubDirectory` for another directory than the first; the bytes
  /// must outlive the handle.
  init(_ bytes: UnsafeBufferPointer<UInt8>, directory: Int? = nil) throws(DecodeError) {
    guard let start = bytes.baseAddress else { throw .empty }
    let source = UnsafeMutablePointer<ikran_tiff_source>.allocate(capacity: 1)
    source.initialize(to: ikran_tiff_begin(start, UInt64(bytes.count)))
    // A strip is copied before it is decoded.
    let most = Self.memoryLimit + bytes.count
    guard let file = ikran_tiff_open(source, Int64(most), directory == nil ? 0 : 1) else {
      let error = Self.fault(source.pointee)
      source.deallocate()
      throw error
    }
    if let directory, TIFFSetSubDirectory(file, UInt64(directory)) == 0 {
      defer {
        TIFFClose(file)
        source.deallocate()
      }
      throw Self.fault(source.pointee)
    }
    (self.file, self.source) = (file, source)
    (layout, reading) = Self.prepare(file)
    // What it has told of tags that it does not need is no reason.
    source.pointee.has_failed = 0
  }

  deinit {
    TIFFClose(file)
    source.deallocate()
  }

  /// Chooses how the pixels are read, and asks for what is nearest to them.
  private static func prepare(_ file: OpaquePointer) -> (ikran_tiff_layout, Reading) {
    var layout = ikran_tiff_describe(file)
    let isLuma = layout.photometric == PHOTOMETRIC_YCBCR
    let isJPEG = layout.compression == COMPRESSION_JPEG
    if layout.compression == COMPRESSION_OJPEG || isLuma && !(isJPEG && layout.is_separate == 0) {
      _ = ikran_tiff_forget_orientation(file)
      return (layout, .pictures)
    }
    if isLuma {
      _ = ikran_tiff_want_rgb(file)
      layout.photometric = UInt16(PHOTOMETRIC_RGB)
    }
    if [COMPRESSION_SGILOG, COMPRESSION_SGILOG24].contains(Int32(layout.compression)) {
      _ = ikran_tiff_want_bytes(file)
      let kind = Int32(layout.photometric)
      layout = ikran_tiff_describe(file)
      if kind == PHOTOMETRIC_LOGLUV { layout.photometric = UInt16(PHOTOMETRIC_RGB) }
      if kind == PHOTOMETRIC_LOGL { layout.photometric = UInt16(PHOTOMETRIC_MINISBLACK) }
      layout.sample_format = UInt16(SAMPLEFORMAT_UINT)
    }
    // JBIG has no rows.
    let hasRows =
      layout.is_tiled == 0 && layout.is_separate == 0 && layout.compression != COMPRESSION_JBIG
    return (layout, hasRows && TIFFStripSize(file) > largestStrip ? .rows : .blocks)
  }

  var size: PixelSize { PixelSize(width: Int(layout.width), height: Int(layout.height)) }

  /// The first error that libtiff has told.
  func fault() -> DecodeError {
    guard TIFFIsCODECConfigured(layout.compression) != 0 else {
      return .unsupported(.tiff, feature: "compression \(layout.compression)")
    }
    return Self.fault(source.pointee)
  }

  private static func fault(_ source: ikran_tiff_source) -> DecodeError {
    let reason = withUnsafeBytes(of: source.message) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if reason.contains("limit defined in open options") {
      return .overLimit(.memory, value: .max, limit: memoryLimit)
    }
    let offset = Int(min(source.offset, source.count))
    return .malformed(
      .tiff,
      offset: offset,
      reason: reason.isEmpty ? "its data makes no sense" : reason
    )
  }

  // MARK: - Blocks

  /// Strips or tiles, and the pixels that each has; one is as wide as the picture where it is a
  /// strip.
  var blockWidth: Int { Int(layout.block_width) }
  /// The rows of a block; the last strip may have fewer.
  var blockHeight: Int { Int(layout.block_height) }
  /// How many rows of samples a pixel is spread over.
  var planes: Int {
    reading != .pictures && layout.is_separate != 0 ? Int(layout.samples) : 1
  }

  /// The number of the block with a pixel's sample.
  private func block(x: Int, y: Int, plane: Int) -> UInt32 {
    layout.is_tiled != 0
      ? TIFFComputeTile(file, UInt32(x), UInt32(y), 0, UInt16(plane))
      : TIFFComputeStrip(file, UInt32(y), UInt16(plane))
  }

  /// How many of the first rows have all their blocks in the file, of those that have some of the
  /// given columns; the rows from `first` on are looked at.
  func rowsThere(from first: Int, to last: Int, columns: Range<Int>) -> Int {
    // Its offsets may be those of a stream of JPEG's own.
    if layout.compression == COMPRESSION_OJPEG { return size.height }
    let count = source.pointee.count
    var top = first / blockHeight * blockHeight
    while top < last {
      for x in blockColumns(columns) {
        for plane in 0..<(layout.is_separate != 0 ? Int(layout.samples) : 1) {
          let number = block(x: x * blockWidth, y: top, plane: plane)
          let start = TIFFGetStrileOffset(file, number)
          let length = TIFFGetStrileByteCount(file, number)
          guard length <= count, start <= count - length else { return top }
        }
      }
      top += blockHeight
    }
    return size.height
  }

  /// The columns of blocks that have some of the given columns of pixels.
  func blockColumns(_ columns: Range<Int>) -> Range<Int> {
    columns.lowerBound / blockWidth..<(columns.upperBound + blockWidth - 1) / blockWidth
  }

  /// Bytes of one row of samples of a block, and of the memory for a block of one plane.
  func blockBytes() throws(DecodeError) -> (row: Int, all: Int) {
    let isTiled = layout.is_tiled != 0
    if reading == .pictures {
      let (bytes, overflow) = (blockWidth * 4).multipliedReportingOverflow(by: blockHeight)
      return (blockWidth * 4, overflow ? .max : bytes)
    }
    let row = Int(isTiled ? TIFFTileRowSize(file) : TIFFScanlineSize(file))
    let all = reading == .rows ? row : Int(isTiled ? TIFFTileSize(file) : TIFFStripSize(file))
    guard row > 0, all > 0 else { throw fault() }
    let samples = layout.is_separate != 0 ? 1 : Int(layout.samples)
    let needed = (blockWidth * samples * Int(layout.bits) + 7) / 8
    let (rows, overflow) = row.multipliedReportingOverflow(by: reading == .rows ? 1 : blockHeight)
    guard row >= needed, !overflow, all >= rows else {
      throw .malformed(.tiff, offset: 0, reason: "the size of its rows makes no sense")
    }
    return (row, all)
  }

  /// Reads a block into memory for it, of `bytes` bytes.
  func readBlock(
    x: Int,
    y: Int,
    plane: Int,
    into target: UnsafeMutablePointer<UInt8>,
    bytes: Int
  ) throws(DecodeError) {
    let isTiled = layout.is_tiled != 0
    if reading == .pictures {
      let isRead = target.withMemoryRebound(to: UInt32.self, capacity: bytes / 4) { pixels in
        isTiled
          ? TIFFReadRGBATileExt(file, UInt32(x), UInt32(y), pixels, 1)
          : TIFFReadRGBAStripExt(file, UInt32(y), pixels, 1)
      }
      guard isRead != 0 else { throw fault() }
      return
    }
    let number = block(x: x, y: y, plane: plane)
    let count =
      isTiled
      ? TIFFReadEncodedTile(file, number, target, tmsize_t(bytes))
      : TIFFReadEncodedStrip(file, number, target, -1)
    guard count >= 0 else { throw fault() }
  }

  /// Reads a row of a strip; those before it in the strip must have been read.
  func readRow(_ y: Int, into target: UnsafeMutablePointer<UInt8>) throws(DecodeError) {
    guard TIFFReadScanline(file, target, UInt32(y), 0) >= 0 else { throw fault() }
  }

  /// The pixels of the table of colours.
  func palette() throws(DecodeError) -> [UInt32] {
    var columns:
      (UnsafeMutablePointer<UInt16>?, UnsafeMutablePointer<UInt16>?, UnsafeMutablePointer<UInt16>?)
    columns = (nil, nil, nil)
    let isThere = withUnsafeMutableBytes(of: &columns) { bytes in
      bytes.withMemoryRebound(to: UnsafeMutablePointer<UInt16>?.self) {
        $0.baseAddress.map { ikran_tiff_palette(file, $0) } ?? 0
      }
    }
    guard isThere != 0, layout.bits <= 16, let red = columns.0, let green = columns.1,
      let blue = columns.2
    else {
      throw .malformed(.tiff, offset: 0, reason: "it has no table of colours")
    }
    let count = 1 << Int(layout.bits)
    // Some writers have numbers of 8 bits.
    let isNarrow = (0..<count).allSatisfy { red[$0] < 256 && green[$0] < 256 && blue[$0] < 256 }
    let shift = UInt16(isNarrow ? 0 : 8)
    return (0..<count).map { index in
      let (red, green) = (UInt32(red[index] >> shift), UInt32(green[index] >> shift))
      return 0xFF00_0000 | red << 16 | green << 8 | UInt32(blue[index] >> shift)
    }
  }
}
#endif
