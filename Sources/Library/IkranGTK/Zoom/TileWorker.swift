import FoundationEssentials
import Ikran
import IkranSystem

/// The bytes of a picture's file.
enum ZoomFile: Sendable {
  case bytes([UInt8])
  /// It may be mapped.
  case data(Data)

  func withSpan<Result>(
    _ body: (Span<UInt8>) throws(DecodeError) -> Result
  ) throws(DecodeError) -> Result {
    switch self {
    case .bytes(let bytes): try body(bytes.span)
    case .data(let data): try body(data.span)
    }
  }
}

/// Decodes parts of one picture, on a thread that ends with it.
final class TileWorker: Sendable {
  /// What a file has at first sight.
  struct Opened: Sendable {
    let info: ImageInfo
    /// The whole picture, with fewer pixels if it is large.
    let overview: Bitmap
  }

  private let pool = WorkerPool<Workspace>(name: "ikran-zoom", threads: 1) { _ in Workspace() }
  private let source: TileSource

  init(_ file: ZoomFile, _ options: ZoomOptions) {
    var options = options
    // What it holds ends on the main thread, and with the widget.
    options.onChange = nil
    source = TileSource(file, options)
  }

  /// Reads the headers, and decodes the overview.
  ///
  /// - Parameter receive: Called once, on the worker's thread, unless the worker ends before.
  func open(_ receive: @escaping @Sendable (Result<Opened, DecodeError>) -> Void) {
    pool.submit(id: pool.nextID(), priority: { 0 }) { [source] workspace in
      do throws(DecodeError) {
        receive(.success(try source.open(workspace)))
      } catch { receive(.failure(error)) }
    } dropped: {
    }
  }

  /// Decodes neighbours, in a format that GTK draws.
  ///
  /// - Parameters:
  ///   - tiles: What to decode.
  ///   - receive: Called once, on the worker's thread, unless the work was withdrawn before.
  /// - Returns: A number to withdraw it by.
  func decode(
    _ tiles: ZoomTiles,
    _ receive: @escaping @Sendable (Result<[ZoomTile: Bitmap], DecodeError>) -> Void
  ) -> UInt64 {
    let id = pool.nextID()
    pool.submit(id: id, priority: { 0 }) { [source] workspace in
      do throws(DecodeError) {
        receive(.success(try source.decode(tiles, workspace)))
      } catch { receive(.failure(error)) }
    } dropped: {
    }
    return id
  }

  /// Leaves out what has not begun.
  func withdraw(_ id: UInt64) { pool.withdraw(id) }
}

/// A file and its decoder, which one thread uses.
private final class TileSource: Sendable {
  private let file: ZoomFile
  private let options: ZoomOptions
  /// With what it knows of the file; nil before that was opened, and while it decodes.
  private let decoder = Guarded(RegionDecoder?.none)

  init(_ file: ZoomFile, _ options: ZoomOptions) { (self.file, self.options) = (file, options) }

  func open(_ workspace: Workspace) throws(DecodeError) -> TileWorker.Opened {
    try file.withSpan { bytes throws(DecodeError) in
      var decoder = try RegionDecoder(bytes, codecs: options.codecs, rules: options.rules)
      let size = decoder.info.uprightSize
      let whole = PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
      let bitmap = try decoder.decode(
        whole,
        of: bytes,
        size: overviewSize(of: size),
        workspace: workspace
      )
      let opened = TileWorker.Opened(info: decoder.info, overview: try Self.drawable(bitmap))
      put(decoder)
      return opened
    }
  }

  func decode(
    _ tiles: ZoomTiles,
    _ workspace: Workspace
  ) throws(DecodeError) -> [ZoomTile: Bitmap] {
    guard var decoder = take() else { return [:] }
    defer { put(decoder) }
    let size = decoder.info.uprightSize
    let row = try file.withSpan { bytes throws(DecodeError) in
      // What lies around them has a part in their edges, so that they fit together.
      try decoder.decode(
        tiles.region(in: size),
        of: bytes,
        size: tiles.pixels(in: size),
        workspace: workspace
      )
    }
    guard tiles.columns.count > 1 else { return [tiles.tiles[0]: try Self.drawable(row)] }
    var pictures: [ZoomTile: Bitmap] = [:]
    for (index, tile) in tiles.tiles.enumerated() {
      let start = index * ZoomTile.side
      let columns = start..<min(start + ZoomTile.side, row.width)
      pictures[tile] = try Self.drawable(Self.part(columns, of: row))
    }
    return pictures
  }

  private func put(_ decoder: RegionDecoder) { self.decoder.withLock { $0 = decoder } }

  /// Takes it out: the index of one that is in two places would be copied.
  private func take() -> RegionDecoder? {
    decoder.withLock { decoder in
      let taken = decoder
      decoder = nil
      return taken
    }
  }

  private static func part(_ columns: Range<Int>, of row: Bitmap) throws(DecodeError) -> Bitmap {
    do throws(BitmapError) {
      return try row.cropped(columns: columns, rows: 0..<row.height)
    } catch { throw .bitmap(error) }
  }

  /// Four bytes a pixel: Cairo draws those from where they are.
  private static func drawable(_ bitmap: Bitmap) throws(DecodeError) -> Bitmap {
    do throws(BitmapError) {
      return try bitmap.converted(to: bitmap.format.hasAlpha ? .bgra : .bgrx)
    } catch { throw .bitmap(error) }
  }

  private func overviewSize(of size: PixelSize) -> PixelSize {
    let pixels = Double(size.width) * Double(size.height)
    guard pixels > Double(options.overviewPixels) else { return size }
    let factor = (Double(options.overviewPixels) / pixels).squareRoot()
    func side(_ length: Int) -> Int { max(1, Int(Double(length) * factor)) }
    return PixelSize(width: side(size.width), height: side(size.height))
  }
}
