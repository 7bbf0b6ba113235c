import CDeflate
import CIkranCodecs

/// Compresses the filtered rows of a PNG file.
enum PNGDeflateHandle {
  /// libdeflate's level, and that for as many bytes as no level takes long for.
  private static let (level, levelForFew): (CInt, CInt) = (7, 9)
  private static let fewBytes = 64 << 10

  /// A zlib stream of `rows`; nil without memory.
  ///
  /// Rows of photos repeat next to nothing but runs, and short matches cost more than their bytes:
  /// zlib's runs make the smallest stream, and the quickest. libdeflate's is taken where it is
  /// smaller; its lowest level tells whether it may be.
  static func compressed(_ rows: [UInt8]) -> [UInt8]? {
    guard let runs = runs(rows) else { return nil }
    let isSmall = rows.count <= fewBytes
    if !isSmall {
      guard let quick = compressed(rows, level: 1) else { return nil }
      // Higher levels save a few hundredths of what repeats so little.
      if quick.count - quick.count / 20 > runs.count { return runs }
    }
    guard let full = compressed(rows, level: isSmall ? levelForFew : level) else { return nil }
    return full.count < runs.count ? full : runs
  }

  private static func compressed(_ rows: [UInt8], level: CInt) -> [UInt8]? {
    guard let compressor = libdeflate_alloc_compressor(level) else { return nil }
    defer { libdeflate_free_compressor(compressor) }
    let room = libdeflate_zlib_compress_bound(compressor, rows.count)
    return stream(of: rows, room: room) { bytes, count, out, room in
      libdeflate_zlib_compress(compressor, bytes, count, out, room)
    }
  }

  private static func runs(_ rows: [UInt8]) -> [UInt8]? {
    stream(of: rows, room: ikran_deflate_bound(rows.count), ikran_deflate_runs)
  }

  private static func stream(
    of rows: [UInt8],
    room: Int,
    _ compress: (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>, Int) -> Int
  ) -> [UInt8]? {
    let stream = rows.withUnsafeBufferPointer { rows in
      [UInt8](unsafeUninitializedCapacity: room) { target, count in
        guard let from = rows.baseAddress, let to = target.baseAddress else { return }
        count = compress(from, rows.count, to, room)
      }
    }
    return stream.isEmpty ? nil : stream
  }
}
