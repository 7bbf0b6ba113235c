#if TIFF
import CTIFF
import IkranPixels

/// Decodes a picture of a file: its rows go from strips and tiles into a sink.
struct TIFFPicture {
  let info: ImageInfo
  /// Where its directory is; nil for the first one.
  let directory: Int?
  let plan: RenderPlan
  let colors: ColorPlan
  let limits: DecodeLimits
  let workspace: Workspace

  /// Decodes, crops and scales as the plan says, in stored orientation.
  ///
  /// - Throws: ``DecodeError``; ``DecodeError/truncated(_:offset:)`` where the pixels of a row that
  ///   is needed are not all there.
  func render(_ bytes: Span<UInt8>) throws(DecodeError) -> Bitmap {
    try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      let file = try open(buffer)
      let samples = try makeSamples(of: file, keepsInks: keepsInks(file))
      if let samples, samples.keepsInks, let inks = colors.inks {
        var sink = try InkSink.open(plan, rows: info.size, workspace: workspace)
        try deliver(file, samples, byteCount: buffer.count, into: &sink)
        return try sink.finish(inks, inverted: false, workspace: workspace)
      }
      let format: PixelFormat = info.hasAlpha ? .bgra : .bgrx
      var sink = try PixelSink.open(plan, rows: info.size, format: format, workspace: workspace)
      try deliver(file, samples, byteCount: buffer.count, into: &sink)
      return try sink.finish()
    }
  }

  /// Decodes the rows whose pixels are all there, in stored orientation; the rest is clear.
  ///
  /// - Returns: The pixels, and how many rows of the stored picture are there; nil for none of
  ///   those that are needed.
  func renderBeginning(
    _ bytes: Span<UInt8>
  ) throws(DecodeError) -> (picture: Bitmap, rows: Int)? {
    try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      let file = try open(buffer)
      let samples = try makeSamples(of: file, keepsInks: false)
      let all = 0..<info.size.width
      let there = file.rowsThere(from: 0, to: info.size.height, columns: all)
      var sink = try PixelSink.open(plan, rows: info.size, format: .bgra, workspace: workspace)
      guard there > sink.neededRows.lowerBound else { return nil }
      try deliver(file, samples, rows: there, into: &sink)
      return (try sink.finish(), there)
    }
  }

  /// Whether inks are converted once they have their target size: not where alpha goes with them.
  private func keepsInks(_ file: borrowing TIFFHandle) -> Bool {
    colors.inks != nil && file.layout.photometric == PHOTOMETRIC_SEPARATED && !info.hasAlpha
      && file.reading != .pictures
  }

  /// Opens the file, and holds what it says against the header and the limits.
  private func open(
    _ buffer: UnsafeBufferPointer<UInt8>
  ) throws(DecodeError) -> TIFFHandle {
    let file = try TIFFHandle(buffer, directory: directory)
    let hasAlpha = file.layout.alpha >= 0
    guard file.size == info.size, hasAlpha == info.hasAlpha else {
      throw .malformed(.tiff, offset: 4, reason: "its directory contradicts itself")
    }
    guard file.blockWidth > 0, file.blockHeight > 0 else {
      throw .malformed(.tiff, offset: 4, reason: "its strips or tiles have no size")
    }
    let height = file.reading == .rows ? 1 : min(file.blockHeight, file.size.height)
    let (held, overflow) = file.size.width.multipliedReportingOverflow(by: height)
    try limits.checkPixels(of: file.size, holding: overflow ? .max : held)
    return file
  }

  /// The rows that `sink` needs.
  private func deliver(
    _ file: borrowing TIFFHandle,
    _ samples: TIFFSamples?,
    byteCount: Int,
    into sink: inout some RowSink & ~Copyable
  ) throws(DecodeError) {
    let needed = sink.neededRows
    let columns = sink.neededColumns ?? 0..<info.size.width
    let (first, last) = (needed.lowerBound, needed.upperBound)
    guard file.rowsThere(from: first, to: last, columns: columns) >= last else {
      throw .truncated(.tiff, offset: byteCount)
    }
    try deliver(file, samples, rows: info.size.height, into: &sink)
  }

  /// The rows that `sink` needs; those from `rows` on are clear.
  private func deliver(
    _ file: borrowing TIFFHandle,
    _ samples: TIFFSamples?,
    rows: Int,
    into sink: inout some RowSink & ~Copyable
  ) throws(DecodeError) {
    let columns = sink.neededColumns ?? 0..<info.size.width
    var band = try TIFFBand(file, columns: columns)
    for y in sink.neededRows {
      if y < rows { try band.load(y, of: file) }
      try sink.nextRow { (row) throws(DecodeError) in
        if y < rows {
          band.convert(y, of: file, samples, into: row)
        } else {
          _ = row.initializeMemory(as: UInt8.self, repeating: 0)
        }
      }
    }
  }

  // MARK: - Samples

  /// How samples become pixels; nil where libtiff makes them.
  private func makeSamples(
    of file: borrowing TIFFHandle,
    keepsInks: Bool
  ) throws(DecodeError) -> TIFFSamples? {
    guard file.reading != .pictures else { return nil }
    let layout = file.layout
    let bits = Int(layout.bits)
    guard isReadable(layout) else {
      throw .unsupported(.tiff, feature: "\(bits) bits of format \(layout.sample_format)")
    }
    let (model, colors) = try model(of: layout)
    guard layout.samples >= colors, layout.alpha < Int32(layout.samples) else {
      throw .malformed(.tiff, offset: 4, reason: "it has too few samples for its colours")
    }
    var table: [UInt32] = []
    switch model {
    case .palette: table = try file.palette()
    case .gray(let isInverted) where bits <= 8 && layout.sample_format != 2:
      let last = 1 << bits - 1
      table = (0...last).map { level in
        let gray = UInt32(((isInverted ? last - level : level) * 255 + last / 2) / last)
        return 0xFF00_0000 | gray * 0x10101
      }
    default: break
    }
    return TIFFSamples(
      model: model,
      layout: layout,
      table: table,
      levels: self.colors.levels,
      inks: self.colors.inks,
      keepsInks: keepsInks,
      usesSIMD: workspace.usesSIMD
    )
  }

  private func isReadable(_ layout: ikran_tiff_layout) -> Bool {
    switch Int32(layout.sample_format) {
    case SAMPLEFORMAT_IEEEFP: [16, 32, 64].contains(layout.bits)
    case SAMPLEFORMAT_INT, SAMPLEFORMAT_UINT, SAMPLEFORMAT_VOID:
      (1...16).contains(layout.bits) || [24, 32, 64].contains(layout.bits)
    default: false
    }
  }

  /// What samples stand for, and how many a colour has.
  private func model(
    of layout: ikran_tiff_layout
  ) throws(DecodeError) -> (model: TIFFSamples.Model, samples: Int) {
    switch Int32(layout.photometric) {
    case PHOTOMETRIC_MINISWHITE: return (.gray(isInverted: true), 1)
    case PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MASK: return (.gray(isInverted: false), 1)
    case PHOTOMETRIC_RGB: return (.rgb, 3)
    case PHOTOMETRIC_PALETTE: return (.palette, 1)
    case PHOTOMETRIC_SEPARATED where layout.ink_set == INKSET_CMYK && layout.samples >= 4:
      return (.inks, 4)
    case PHOTOMETRIC_SEPARATED: throw .unsupported(.tiff, feature: "inks that are not CMYK")
    case PHOTOMETRIC_CIELAB where layout.bits == 8 || layout.bits == 16:
      return (.lab(TIFFLab(isSigned: true, isNarrow: layout.bits == 8)), 3)
    case PHOTOMETRIC_ICCLAB where layout.bits == 8 || layout.bits == 16:
      return (.lab(TIFFLab(isSigned: false, isNarrow: layout.bits == 8)), 3)
    default:
      throw .unsupported(.tiff, feature: "colours of kind \(layout.photometric)")
    }
  }
}
#endif
