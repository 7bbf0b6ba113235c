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

/// Decodes parts of a view's pictures one after the other, on a thread that ends with the view.
///
/// Releasing it waits for nothing: a decode that has begun goes on, and what waits is left out.
final class TileWorker: Sendable {
  /// What a file has at first sight.
  struct Opened: Sendable {
    let info: ImageInfo
    /// Its size as it is shown.
    let size: PixelSize
    /// The whole picture, with fewer pixels if it is large.
    let overview: Bitmap
  }

  private let pool = WorkerPool<Workspace>(name: "ikran-zoom", threads: 1) { _ in Workspace() }

  /// Reads the headers of a file, and decodes the overview.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - options: How it is decoded.
  ///   - receive: Called once, on the worker's thread, unless the file is closed before.
  /// - Returns: What decodes its tiles.
  func open(
    _ file: ZoomFile,
    with options: ZoomOptions,
    _ receive: @escaping @Sendable (Result<Opened, DecodeError>) -> Void
  ) -> TileSource {
    let source = TileSource(file, options, job: pool.nextID())
    submit(source.job, for: source) { workspace in
      do throws(DecodeError) {
        receive(.success(try source.open(workspace)))
      } catch { receive(.failure(error)) }
    }
    return source
  }

  /// Decodes neighbours, in a format that GTK draws.
  ///
  /// - Parameters:
  ///   - tiles: What to decode.
  ///   - source: Of which picture.
  ///   - receive: Called once, on the worker's thread, unless the work was withdrawn before.
  /// - Returns: A number to withdraw it by.
  func decode(
    _ tiles: ZoomTiles,
    of source: TileSource,
    _ receive: @escaping @Sendable (Result<[ZoomTile: Bitmap], DecodeError>) -> Void
  ) -> UInt64 {
    let id = pool.nextID()
    submit(id, for: source) { workspace in
      do throws(DecodeError) {
        receive(.success(try source.decode(tiles, workspace)))
      } catch { receive(.failure(error)) }
    }
    return id
  }

  /// Leaves out what has not begun.
  func withdraw(_ id: UInt64) { pool.withdraw(id) }

  /// Leaves out what has not begun of a picture, and ends a wait for a decoder in another process.
  ///
  /// A decode in this process that has begun goes on.
  func close(_ source: TileSource) {
    source.cancellation.cancel()
    pool.withdraw(source.job)
  }

  private func submit(
    _ id: UInt64,
    for source: TileSource,
    _ work: @escaping @Sendable (Workspace) -> Void
  ) {
    pool.submit(id: id, priority: { 0 }) { workspace in
      guard !source.cancellation.isCancelled else { return }
      workspace.work(until: source.cancellation) { work(workspace) }
    } dropped: {
    }
  }
}

/// A file and its decoder, which one thread uses.
final class TileSource: Sendable {
  /// The number of the work that opens it.
  fileprivate let job: UInt64
  fileprivate let cancellation = JobCancellation()
  private let file: ZoomFile
  private let options: ZoomOptions
  /// With what it knows of the file; nil before that was opened, and while it decodes.
  private let decoder = Guarded(RegionDecoder?.none)

  fileprivate init(_ file: ZoomFile, _ options: ZoomOptions, job: UInt64) {
    var options = options
    // What it holds ends on the main thread, and with the widget.
    options.onChange = nil
    (self.file, self.options, self.job) = (file, options, job)
  }

  fileprivate func open(_ workspace: Workspace) throws(DecodeError) -> TileWorker.Opened {
    try file.withSpan { bytes throws(DecodeError) in
      var decoder = try RegionDecoder(bytes, codecs: options.codecs, rules: options.rules)
      let turn = QuarterTurns(options.quarterTurns, of: decoder.info.uprightSize)
      let size = turn.size
      let whole = PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
      let bitmap = try decoder.decode(
        whole,
        turned: turn,
        of: bytes,
        size: options.overviewSize(of: size),
        workspace: workspace
      )
      let opened = TileWorker.Opened(
        info: decoder.info,
        size: size,
        overview: try Self.drawable(bitmap)
      )
      put(decoder)
      return opened
    }
  }

  fileprivate func decode(
    _ tiles: ZoomTiles,
    _ workspace: Workspace
  ) throws(DecodeError) -> [ZoomTile: Bitmap] {
    guard var decoder = take() else { return [:] }
    defer { put(decoder) }
    let turn = QuarterTurns(options.quarterTurns, of: decoder.info.uprightSize)
    let size = turn.size
    let row = try file.withSpan { bytes throws(DecodeError) in
      // What lies around them has a part in their edges, so that they fit together.
      try decoder.decode(
        tiles.region(in: size),
        turned: turn,
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
}

extension ZoomOptions {
  /// The longest side of an overview: more than Cairo and many graphics cards draw is of no use.
  private static let longestSide = 16_384
  /// The most bytes of an overview: its rows begin at multiples of 64 bytes.
  static let mostOverviewBytes = 4 * mostOverviewPixels + 64 * longestSide

  /// The size of a picture's overview: in the shape of the picture, and at least a pixel wide.
  func overviewSize(of size: PixelSize) -> PixelSize {
    let (width, height) = (Double(size.width), Double(size.height))
    let longest = min(Self.longestSide, overviewPixels)
    let bySide = Double(longest) / max(width, height)
    let byArea = (Double(overviewPixels) / (width * height)).squareRoot()
    let factor = min(bySide, byArea)
    guard factor < 1 else { return size }
    func side(_ length: Double) -> Int { min(longest, max(1, Int(length * factor))) }
    return PixelSize(width: side(width), height: side(height))
  }
}
