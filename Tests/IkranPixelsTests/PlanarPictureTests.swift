import TestBasics
import Testing

@testable import IkranPixels

/// Pictures of luma and chroma that are reduced before they become pixels.
@Suite(.timeLimit(.minutes(10))) struct PlanarPictureTests {
  private func noise(_ size: PixelSize) throws -> PlanarPicture {
    var dice = Dice(seed: UInt64(size.width * 131 + size.height))
    let picture = try PlanarPicture(size)
    for plane in [picture.luma, picture.blue, picture.red] {
      for index in plane.indices { plane[index] = dice.byte() }
    }
    return picture
  }

  /// The mean of a part of a plane.
  private func mean(
    _ plane: UnsafeMutableBufferPointer<UInt8>,
    width: Int,
    _ columns: Range<Int>,
    _ rows: Range<Int>
  ) -> Double {
    let height = plane.count / width
    let (columns, rows) = (columns.clamped(to: 0..<width), rows.clamped(to: 0..<height))
    var sum = 0
    for y in rows { for x in columns { sum += Int(plane[y * width + x]) } }
    return Double(sum) / Double(columns.count * rows.count)
  }

  @Test(
    arguments: [(1, 1), (2, 7), (17, 5), (64, 33), (131, 40), (515, 9)],
    [2, 4, 6, 8, 30, 256]
  )
  func eachPixelIsTheMeanOfASquare(_ sides: (Int, Int), block: Int) throws {
    let size = PixelSize(sides.0, sides.1)
    let planes = try noise(size)
    let workspace = Workspace()
    let fast = try planes.reduced(by: block, workspace: workspace).finish()
    workspace.usesSIMD = false
    let plain = try planes.reduced(by: block, workspace: workspace).finish()
    #expect(fast.pixels == plain.pixels)
    #expect(fast.size == PixelSize((sides.0 + block - 1) / block, (sides.1 + block - 1) / block))
    let half = block / 2
    for y in 0..<fast.height {
      for x in 0..<fast.width {
        let luma = mean(
          planes.luma,
          width: size.width,
          x * block..<(x + 1) * block,
          y * block..<(y + 1) * block
        )
        let (columns, rows) = (x * half..<(x + 1) * half, y * half..<(y + 1) * half)
        let u = mean(planes.blue, width: planes.chromaWidth, columns, rows) - 128
        let v = mean(planes.red, width: planes.chromaWidth, columns, rows) - 128
        let light = (luma - 16) * 255 / 219
        let wanted = [light + 2.01723 * u, light - 0.39176 * u - 0.81297 * v, light + 1.59603 * v]
        let pixel = fast.pixel(x, y)
        #expect(pixel[3] == 255)
        for channel in 0..<3 {
          #expect(abs(Double(pixel[channel]) - min(max(wanted[channel], 0), 255)) < 0.51)
        }
      }
    }
  }

  @Test(arguments: [(false, false), (true, false), (true, true)], [true, false])
  func chromaOfAnySizeBecomesTheColoursOfItsMatrix(
    _ halved: (width: Bool, height: Bool),
    isFullRange: Bool
  ) throws {
    let size = PixelSize(21, 14)
    let wide = halved.width ? 11 : 21
    let high = halved.height ? 7 : 14
    var dice = Dice(seed: 7)
    let luma = (0..<21 * 14).map { _ in dice.byte() }
    let (blue, red) = (
      (0..<wide * high).map { _ in dice.byte() }, (0..<wide * high).map { _ in dice.byte() }
    )
    let picture = try luma.withUnsafeBufferPointer { y in
      try blue.withUnsafeBufferPointer { u in
        try red.withUnsafeBufferPointer { v in
          let view = PlanarView(
            size,
            luma: .init(start: try #require(y.baseAddress), bytesPerRow: 21),
            chroma: .init(
              blue: .init(start: try #require(u.baseAddress), bytesPerRow: wide),
              red: .init(start: try #require(v.baseAddress), bytesPerRow: wide),
              halvesWidth: halved.width,
              halvesHeight: halved.height
            ),
            matrix: .init(red: 0.2126, blue: 0.0722, isFullRange: isFullRange)
          )
          return try view.reduced(by: 2, workspace: Workspace()).finish()
        }
      }
    }
    // The first pixel: BT.709, by its definition.
    let light = [0, 1, 21, 22].map { Double(luma[$0]) }.reduce(0, +) / 4
    let near = halved.height ? [0] : halved.width ? [0, wide] : [0, 1, wide, wide + 1]
    let u = near.map { Double(blue[$0]) }.reduce(0, +) / Double(near.count) - 128
    let v = near.map { Double(red[$0]) }.reduce(0, +) / Double(near.count) - 128
    let y = isFullRange ? light : (light - 16) * 255 / 219
    let (cb, cr) = isFullRange ? (u, v) : (u * 255 / 224, v * 255 / 224)
    let (b, r) = (y + 1.8556 * cb, y + 1.5748 * cr)
    let g = (y - 0.2126 * r - 0.0722 * b) / 0.7152
    for (channel, wanted) in [b, g, r].enumerated() {
      #expect(abs(Double(picture.pixel(0, 0)[channel]) - min(max(wanted, 0), 255)) < 0.51)
    }
  }
}
