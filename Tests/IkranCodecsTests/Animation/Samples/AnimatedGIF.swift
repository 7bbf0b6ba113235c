import IkranPixels
import TestBasics

/// An animated GIF made from frames of few colours; clear pixels get an index of their own.
struct AnimatedGIF {
  var size: PixelSize
  var frames: [PlacedFrame]
  /// In hundredths of a second, for each frame.
  var delays: [Int] = []
  /// nil: no extension.
  var loops: Int? = 0
  var loopExtension = "NETSCAPE2.0"
  var isInterlaced = false
  var hasTrailer = true
  /// The numbers that stand for ``PlacedFrame/Disposal``.
  var disposals = [1, 2, 3]

  /// The bytes of the file.
  var bytes: [UInt8] {
    var file = Array("GIF89a".utf8) + word(size.width) + word(size.height) + [0, 0, 0]
    if let loops {
      file += [0x21, 0xFF, 11] + Array(loopExtension.utf8) + [3, 1] + word(loops) + [0]
    }
    for (number, frame) in frames.enumerated() {
      file += picture(frame, delay: number < delays.count ? delays[number] : 10)
    }
    return hasTrailer ? file + [0x3B] : file
  }

  private func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

  private func picture(_ frame: PlacedFrame, delay: Int) -> [UInt8] {
    var colors = Array(Set(frame.pixels.filter { $0.alpha == 255 }))
    let hasClear = frame.pixels.contains { $0.alpha != 255 }
    let clear = colors.count
    if hasClear { colors.append(Pixel(200, 100, 50, 0)) }
    let depth = (2...8).first { 1 << $0 >= colors.count } ?? 8
    let numbers = Dictionary(uniqueKeysWithValues: colors.enumerated().map { ($1, $0) })
    let indices = frame.pixels.map { UInt8($0.alpha == 255 ? numbers[$0] ?? 0 : clear) }
    var bytes: [UInt8] = [0x21, 0xF9, 4]
    bytes.append(UInt8(disposals[frame.disposal.rawValue] << 2 | (hasClear ? 1 : 0)))
    bytes += word(delay) + [UInt8(hasClear ? clear : 0), 0]
    bytes += [0x2C] + word(frame.left) + word(frame.top) + word(frame.width) + word(frame.height)
    bytes.append(0x80 | (isInterlaced ? 0x40 : 0) | UInt8(depth - 1))
    for index in 0..<1 << depth {
      let color = index < colors.count ? colors[index] : Pixel(0, 0, 0)
      bytes += [color.red, color.green, color.blue]
    }
    let rows = isInterlaced ? interlaced(indices, frame) : indices
    let sample = GIFSample(width: frame.width, height: frame.height, indices: rows, depth: depth)
    return bytes + sample.data
  }

  private func interlaced(_ indices: [UInt8], _ frame: PlacedFrame) -> [UInt8] {
    let passes = [(0, 8), (4, 8), (2, 4), (1, 2)]
    let order = passes.flatMap { Array(stride(from: $0.0, to: frame.height, by: $0.1)) }
    return order.flatMap { indices[$0 * frame.width..<($0 + 1) * frame.width] }
  }
}
