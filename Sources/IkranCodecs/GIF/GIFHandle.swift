import CGIF
import IkranPixels

/// One running giflib read, record by record, over bytes that outlive it.
struct GIFHandle: ~Copyable {
  /// What giflib's read function reads from.
  private struct Source {
    var bytes: UnsafeBufferPointer<UInt8>
    var offset = 0
  }

  private let file: UnsafeMutablePointer<GifFileType>
  private let source: UnsafeMutablePointer<Source>

  /// `DGifOpen`; the bytes must outlive the handle.
  private init(_ bytes: UnsafeBufferPointer<UInt8>) throws(DecodeError) {
    source = .allocate(capacity: 1)
    source.initialize(to: Source(bytes: bytes))
    var code: CInt = 0
    let opened = DGifOpen(
      source,
      { file, target, count in
        guard let source = file?.pointee.UserData?.assumingMemoryBound(to: Source.self), count > 0,
          let target
        else { return 0 }
        let start = source.pointee.offset
        let read = min(Int(count), source.pointee.bytes.count - start)
        guard let base = source.pointee.bytes.baseAddress, read > 0 else { return 0 }
        target.update(from: base + start, count: read)
        source.pointee.offset = start + read
        return CInt(read)
      },
      &code
    )
    guard let opened else {
      let error = Self.error(code, source.pointee.offset)
      source.deallocate()
      throw error
    }
    file = opened
  }

  deinit {
    // Nothing was written, so closing cannot lose anything.
    _ = DGifCloseFile(file, nil)
    source.deallocate()
  }

  /// Reads up to the end of the first picture.
  static func firstFrame(
    _ bytes: Span<UInt8>,
    screen: PixelSize,
    limits: DecodeLimits
  ) throws(DecodeError) -> GIFFrame {
    try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      let handle = try GIFHandle(buffer)
      var transparentIndex: UInt8?
      while true {
        var record = UNDEFINED_RECORD_TYPE
        try handle.check(DGifGetRecordType(handle.file, &record))
        switch record {
        case IMAGE_DESC_RECORD_TYPE:
          return try handle.readFrame(screen, transparentIndex, limits)
        case EXTENSION_RECORD_TYPE:
          try handle.readExtension(&transparentIndex)
        default:
          throw .malformed(.gif, offset: handle.offset, reason: "there is no picture")
        }
      }
    }
  }

  private var offset: Int { source.pointee.offset }

  /// `DGifGetExtension`, `DGifGetExtensionNext`: keeps the transparent index, skips the rest.
  private func readExtension(_ transparentIndex: inout UInt8?) throws(DecodeError) {
    var label: CInt = 0
    var block: UnsafeMutablePointer<GifByteType>?
    try check(DGifGetExtension(file, &label, &block))
    // The first byte of a block is its length.
    if label == GRAPHICS_EXT_FUNC_CODE, let block, block[0] >= 4 {
      transparentIndex = block[1] & 1 != 0 ? block[4] : nil
    }
    while block != nil { try check(DGifGetExtensionNext(file, &block)) }
  }

  /// `DGifGetImageDesc`, `DGifGetLine`: keeps what lies on the screen.
  private func readFrame(
    _ screen: PixelSize,
    _ transparentIndex: UInt8?,
    _ limits: DecodeLimits
  ) throws(DecodeError) -> GIFFrame {
    try check(DGifGetImageDesc(file))
    let image = file.pointee.Image
    let size = PixelSize(width: Int(image.Width), height: Int(image.Height))
    guard size.isPositive else {
      throw .malformed(.gif, offset: offset, reason: "the picture is \(size) pixels")
    }
    guard let count = size.pixelCount, count <= limits.maximumPixels else {
      throw .overLimit(.pixels, value: size.pixelCount ?? .max, limit: limits.maximumPixels)
    }
    var frame = GIFFrame(
      left: Int(image.Left),
      top: Int(image.Top),
      size: size,
      screen: screen,
      transparentIndex: transparentIndex
    )
    if let map = image.ColorMap ?? file.pointee.SColorMap { frame.colors = Self.colors(map) }
    var line = [GifPixelType](repeating: 0, count: size.width)
    for y in rowOrder(size.height, isInterlaced: image.Interlace) {
      try check(DGifGetLine(file, &line, CInt(size.width)))
      frame.setRow(y, line)
    }
    return frame
  }

  /// The rows in the order they are stored (GIF89a, appendix E).
  private func rowOrder(_ height: Int, isInterlaced: Bool) -> [Int] {
    guard isInterlaced else { return Array(0..<height) }
    return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { start, step in
      Array(stride(from: start, to: height, by: step))
    }
  }

  private static func colors(_ map: UnsafeMutablePointer<ColorMapObject>) -> [UInt32] {
    (0..<256).map { index in
      guard index < map.pointee.ColorCount, let color = map.pointee.Colors?[index] else {
        return 0xFF00_0000
      }
      return 0xFF00_0000 | UInt32(color.Red) << 16 | UInt32(color.Green) << 8 | UInt32(color.Blue)
    }
  }

  private func check(_ status: CInt) throws(DecodeError) {
    guard status == GIF_OK else { throw Self.error(file.pointee.Error, offset) }
  }

  private static func error(_ code: CInt, _ offset: Int) -> DecodeError {
    switch code {
    case D_GIF_ERR_READ_FAILED, D_GIF_ERR_EOF_TOO_SOON: .truncated(.gif, offset: offset)
    case D_GIF_ERR_NOT_ENOUGH_MEM: .bitmap(.outOfMemory(bytes: 0))
    default:
      .malformed(
        .gif,
        offset: offset,
        reason: GifErrorString(code).map { String(cString: $0) } ?? "its data makes no sense"
      )
    }
  }
}
