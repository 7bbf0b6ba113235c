import CIkranZlib

/// Compresses the filtered rows of a PNG file.
enum PNGDeflation {
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
      guard let quick = Deflate.compressed(rows, level: 1) else { return nil }
      // Higher levels save a few hundredths of what repeats so little.
      if quick.count - quick.count / 20 > runs.count { return runs }
    }
    let full = Deflate.compressed(rows, level: isSmall ? levelForFew : level)
    guard let full else { return nil }
    return full.count < runs.count ? full : runs
  }

  /// Whether runs make as small a stream of `rows` as matches do; false without memory.
  fileprivate static func prefersRuns(_ rows: [UInt8]) -> Bool {
    guard let literals = runs(rows), let quick = Deflate.compressed(rows, level: 1) else {
      return false
    }
    return quick.count - quick.count / 20 > literals.count
  }

  private static func runs(_ rows: [UInt8]) -> [UInt8]? {
    rows.compressed(room: ikran_deflate_bound(rows.count), ikran_deflate_runs)
  }
}

/// A zlib stream that is written while its bytes come, for pictures whose rows are too many to be
/// kept.
struct PNGDeflateStream: ~Copyable {
  /// A part of each piece tells whether the piece repeats anything but runs.
  private static let sampleBytes = 64 << 10
  private static let outputBytes = 256 << 10

  private let deflater: OpaquePointer

  /// Begins a stream; nil without memory.
  init?() {
    guard let deflater = ikran_deflate_open() else { return nil }
    self.deflater = deflater
  }

  deinit { ikran_deflate_close(deflater) }

  /// Compresses a piece, and hands on what is ready, part by part; false for an error.
  func compress(_ piece: [UInt8], isLast: Bool, _ take: (ArraySlice<UInt8>) -> Void) -> Bool {
    let middle = max(0, (piece.count - Self.sampleBytes) / 2)
    let sample = Array(piece[middle..<min(middle + Self.sampleBytes, piece.count)])
    let usesRuns: CInt = PNGDeflation.prefersRuns(sample) ? 1 : 0
    var output = [UInt8](repeating: 0, count: Self.outputBytes)
    return piece.withUnsafeBufferPointer { piece in
      var buffers = ikran_inflate_buffers()
      (buffers.in, buffers.in_count) = (piece.baseAddress, piece.count)
      while true {
        let isDone = output.withUnsafeMutableBufferPointer { output in
          (buffers.out, buffers.out_count) = (output.baseAddress, output.count)
          return ikran_deflate(deflater, &buffers, usesRuns, isLast ? 1 : 0) != 0
        }
        guard isDone else { return false }
        let count = output.count - buffers.out_count
        if count > 0 { take(output[..<count]) }
        if buffers.in_count == 0, buffers.out_count > 0 { return true }
      }
    }
  }
}

extension [UInt8] {
  /// What a C function makes of the bytes: it writes to as much room as there is, and returns how
  /// many bytes it wrote; nil for none.
  func compressed(
    room: Int,
    _ compress: (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>, Int) -> Int
  ) -> [UInt8]? {
    let stream = withUnsafeBufferPointer { bytes in
      [UInt8](unsafeUninitializedCapacity: room) { target, count in
        guard let from = bytes.baseAddress, let to = target.baseAddress else { return }
        count = compress(from, bytes.count, to, room)
      }
    }
    return stream.isEmpty ? nil : stream
  }
}
