#if TIFF
import CTIFF
import IkranPixels

/// The samples of one row of blocks, or of one row of pixels, and how they become pixels.
struct TIFFBand: ~Copyable {
  private let memory: UnsafeMutablePointer<UInt8>
  private let columns: Range<Int>
  private let planes: Int
  private let rowBytes, blockBytes: Int
  /// The first row that is in memory, and how many are.
  private var rows = 0..<0

  /// Allocates memory for the blocks of `file` that have some of the given columns of pixels.
  init(_ file: borrowing TIFFHandle, columns: Range<Int>) throws(DecodeError) {
    let (blockColumns, planes) = (file.blockColumns(columns), file.planes)
    let (rowBytes, blockBytes) = try file.blockBytes()
    let (blocks, overflow) = planes.multipliedReportingOverflow(by: blockColumns.count)
    let (bytes, overflows) = blockBytes.multipliedReportingOverflow(by: blocks)
    guard !overflow, !overflows, bytes <= TIFFHandle.memoryLimit else {
      throw .overLimit(.memory, value: .max, limit: TIFFHandle.memoryLimit)
    }
    guard let memory = ikran_tiff_memory(bytes) else {
      throw .bitmap(.outOfMemory(bytes: bytes))
    }
    (self.columns, self.planes) = (blockColumns, planes)
    (self.rowBytes, self.blockBytes) = (rowBytes, blockBytes)
    self.memory = memory
  }

  deinit { ikran_tiff_free(memory) }

  /// Makes sure that a row is in memory; rows are asked for from top to bottom.
  mutating func load(_ y: Int, of file: borrowing TIFFHandle) throws(DecodeError) {
    guard !rows.contains(y) else { return }
    let height = file.blockHeight
    let top = y / height * height
    if file.reading == .rows {
      let next = rows.isEmpty || rows.upperBound < top ? top : rows.upperBound
      for row in next...y { try file.readRow(row, into: memory) }
      rows = y..<y + 1
      return
    }
    var target = memory
    for x in columns {
      for plane in 0..<planes {
        try file.readBlock(
          x: x * file.blockWidth,
          y: top,
          plane: plane,
          into: target,
          bytes: blockBytes
        )
        target += blockBytes
      }
    }
    rows = top..<min(top + height, file.size.height)
  }

  /// Makes pixels of a row that is in memory, in those columns whose blocks are.
  func convert(
    _ y: Int,
    of file: borrowing TIFFHandle,
    _ samples: TIFFSamples?,
    into row: UnsafeMutableRawBufferPointer
  ) {
    guard let start = row.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let blockWidth = file.blockWidth
    for (index, column) in columns.enumerated() {
      let x = column * blockWidth
      let width = min(blockWidth, file.size.width - x)
      let block = memory + index * planes * blockBytes
      let target = start + x * 4
      guard let samples else {
        // The last row comes first, and only strips have fewer rows than others.
        let height = file.layout.is_tiled != 0 ? file.blockHeight : rows.count
        let line = block + (height - 1 - (y - rows.lowerBound)) * rowBytes
        copy(line, width: width, into: target, hasAlpha: file.layout.alpha >= 0)
        continue
      }
      let offset = (y - rows.lowerBound) * rowBytes
      let lines = (0..<planes).map { UnsafePointer(block + $0 * blockBytes + offset) }
      samples.convert(lines, width: width, into: target)
    }
  }

  /// Pixels as libtiff makes them: red, green, blue and alpha, premultiplied.
  private func copy(
    _ line: UnsafePointer<UInt8>,
    width: Int,
    into target: UnsafeMutablePointer<UInt8>,
    hasAlpha: Bool
  ) {
    for x in 0..<width {
      let (color, pixel) = (line + x * 4, target + x * 4)
      let alpha = hasAlpha ? color[3] : 255
      pixel[0] = min(color[2], alpha)
      pixel[1] = min(color[1], alpha)
      pixel[2] = min(color[0], alpha)
      pixel[3] = alpha
    }
  }
}
#endif
