import IkranPixels
import TestBasics

/// An animated PNG of eight bits with alpha, without compression.
struct AnimatedPNG {
  var size: PixelSize
  var frames: [PlacedFrame]
  /// Numerator and denominator, in seconds, for each frame.
  var delays: [(Int, Int)] = []
  var plays = 0
  /// A picture that is not part of the animation.
  var hiddenImage: PlacedFrame?
  /// The frames that the header promises; nil: as many as there are.
  var declaredFrames: Int?
  /// Added to the numbers of chunks, from the one with this number on.
  var gap: (from: Int, by: Int)?
  var hasEnd = true
  /// Bytes of data in a chunk.
  var chunkLength = 40
  /// Bytes of rows that a stream has too many of, or too few.
  var spareBytes = 0

  /// The bytes of the file.
  var bytes: [UInt8] {
    let header = PNGSample.word(size.width) + PNGSample.word(size.height) + [8, 6, 0, 0, 0]
    var file = PNGSample.signature + PNGSample.chunk("IHDR", header)
    let count = declaredFrames ?? frames.count
    file += PNGSample.chunk("acTL", PNGSample.word(count) + PNGSample.word(plays))
    var sequence = 0
    if let hiddenImage {
      file += parts(hiddenImage).flatMap { PNGSample.chunk("IDAT", $0) }
    }
    for (index, frame) in frames.enumerated() {
      file += PNGSample.chunk("fcTL", number(&sequence) + control(frame, index))
      for part in parts(frame) {
        if index == 0, hiddenImage == nil {
          file += PNGSample.chunk("IDAT", part)
        } else {
          file += PNGSample.chunk("fdAT", number(&sequence) + part)
        }
      }
    }
    return hasEnd ? file + PNGSample.chunk("IEND", []) : file
  }

  private func number(_ sequence: inout Int) -> [UInt8] {
    defer { sequence += 1 }
    let offset = gap.map { sequence >= $0.from ? $0.by : 0 } ?? 0
    return PNGSample.word(sequence + offset)
  }

  private func control(_ frame: PlacedFrame, _ index: Int) -> [UInt8] {
    let delay = index < delays.count ? delays[index] : (1, 10)
    return [frame.width, frame.height, frame.left, frame.top].flatMap(PNGSample.word)
      + PNGSample.word(delay.0)[2...] + PNGSample.word(delay.1)[2...]
      + [UInt8(frame.disposal.rawValue), frame.isBlended ? 1 : 0]
  }

  private func parts(_ frame: PlacedFrame) -> [[UInt8]] {
    var rows: [UInt8] = []
    for y in 0..<frame.height {
      rows.append(0)
      for pixel in frame.pixels[y * frame.width..<(y + 1) * frame.width] {
        rows += [pixel.red, pixel.green, pixel.blue, pixel.alpha]
      }
    }
    if spareBytes < 0 { rows.removeLast(-spareBytes) }
    rows += [UInt8](repeating: 7, count: max(0, spareBytes))
    let stream = PNGSample.stored(rows)
    return stride(from: 0, to: stream.count, by: chunkLength)
      .map { Array(stream[$0..<min($0 + chunkLength, stream.count)]) }
  }
}
