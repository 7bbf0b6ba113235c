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
}
