import CFuzz
@testable import IkranCodecs
@testable import IkranPixels

/// This package's reader of PNG rows: libpng's pixels, or nothing.
///
/// An input is a file, or the description of one whose rows are the input's own bytes.
enum PNGTarget {
  private nonisolated(unsafe) static let used = Workspace()  // libFuzzer has one thread

  static func run(_ bytes: Input) -> CInt {
    if PNGDecoder().recognizes(bytes.span) {
      check(bytes.span, bytes)
    } else {
      let file = PNGFile(InputReader(bytes)).bytes
      check(file.span, bytes)
    }
    return 0
  }

  /// Descriptions of small pictures of every kind.
  static var seeds: [[UInt8]] {
    (0..<15).map { kind in
      [UInt8(kind), 3, 20, 9, 0] + (0..<120).map { UInt8(truncatingIfNeeded: $0 * $0 * (kind + 1)) }
    }
  }

  private static func check(_ file: Span<UInt8>, _ input: Input) {
    guard let info = try? PNGDecoder().probe(file),
      (try? DecodeRules.fuzzing.limits.check(info, byteCount: file.count)) != nil
    else { return }
    let seed = fnv1a(input)
    for fitting in [Fitting.original, fitting(seed)] {
      let plan = RenderPlan(stored: info.size, orientation: .up, fitting: fitting)
      func ours(_ workspace: Workspace, usesISAL: Bool) -> Bitmap? {
        PNGRowDecoder.render(file, plan, info, workspace: workspace, usesISAL: usesISAL)
      }
      let first = ours(used, usesISAL: PNGDataHandle.hasISAL)
      let second = ours(workspace(usesSIMD: false), usesISAL: PNGDataHandle.hasISAL)
      report("another picture without vectors", unless: areSame(first, second))
      let third = ours(workspace(usesSIMD: true), usesISAL: false)
      let pictures = [first, third].compactMap(\.self)
      guard !pictures.isEmpty else { continue }
      guard let theirs = try? PNGHandle.render(file, plan, of: info, workspace: Workspace()) else {
        return report("libpng refuses the file")
      }
      for picture in pictures {
        report("other pixels than libpng's", unless: areSame(picture, theirs))
      }
    }
  }
}

/// A PNG file of rows with any filters.
private struct PNGFile {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let kinds: [(color: Int, depth: Int)] =
    [1, 2, 4, 8, 16].map { (0, $0) } + [8, 16].map { (2, $0) } + [1, 2, 4, 8].map { (3, $0) }
    + [8, 16].map { (4, $0) } + [8, 16].map { (6, $0) }

  let bytes: [UInt8]

  init(_ input: InputReader) {
    var input = input
    let (color, depth) = Self.kinds[input.below(Self.kinds.count)]
    let flags = input.byte()
    let (width, height) = (1 + input.below(300), 1 + input.below(100))
    let filterMode = input.byte()
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][color] ?? 1
    let rowBytes = (width * channels * depth + 7) / 8
    var file = Self.signature
    let header = Self.word(width) + Self.word(height) + [UInt8(depth), UInt8(color), 0, 0]
    file += Self.chunk("IHDR", header + [flags & 0x80 != 0 ? 1 : 0])
    if color == 3 {
      let colors = min(256, 1 + input.byte())
      file += Self.chunk("PLTE", (0..<colors * 3).map { _ in UInt8(input.byte()) })
    }
    if flags & 1 != 0 {
      let count = [0: 2, 2: 6, 3: 1 + input.below(256)][color] ?? 0
      file += Self.chunk("tRNS", (0..<count).map { _ in UInt8(input.byte()) })
    }
    // The rest of the input is repeated until all rows are full.
    let data = input.rest.isEmpty ? [0] : input.rest
    var rows: [UInt8] = []
    rows.reserveCapacity((rowBytes + 1) * height)
    for y in 0..<height {
      let filter = filterMode < 5 ? filterMode : Int(data[y % data.count]) % 5
      rows.append(UInt8(filter))
      for x in 0..<rowBytes { rows.append(data[(y * rowBytes + x) % data.count]) }
    }
    // Some streams are one byte too short or too long.
    if flags & 12 == 12 { rows.removeLast() } else if flags & 12 == 8 { rows.append(1) }
    let stream = PNGDeflation.compressed(rows) ?? []
    let part = flags & 0x30 == 0 ? stream.count : 1 + flags & 0x30
    for start in stride(from: 0, to: stream.count, by: max(1, part)) {
      file += Self.chunk("IDAT", Array(stream[start..<min(start + part, stream.count)]))
    }
    bytes = file + Self.chunk("IEND", [])
  }

  private static func chunk(_ kind: String, _ body: [UInt8]) -> [UInt8] {
    let checked = Array(kind.utf8) + body
    return word(body.count) + checked + word(Int(InflateHandle.crc32(checked.span)))
  }

  private static func word(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(value >> $0 & 255) }
  }
}
