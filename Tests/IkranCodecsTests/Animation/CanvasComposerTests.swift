import IkranPixels
import Testing

@testable import IkranCodecs

/// How many frames are drawn to compose one.
@Suite(.timeLimit(.minutes(10))) struct CanvasComposerTests {
  private final class Painter: FramePainter {
    var drawn = 0
    /// Whether the data of all frames ends early.
    var isShort = false
    var damaged: Int?

    func paint(_ frame: Int, on canvas: inout AnimationCanvas) throws(DecodeError) -> Bool {
      drawn += 1
      if frame == damaged { throw .malformed(.gif, offset: 0, reason: "a test damaged it") }
      return !isShort
    }
  }

  private static let size = PixelSize(width: 4, height: 4)

  /// Opaque frames that cover the canvas, or leave a column of it.
  private func composer(
    _ count: Int,
    _ painter: Painter,
    width: Int = 4
  ) throws -> CanvasComposer {
    let area = FrameArea(
      left: 0,
      top: 0,
      size: PixelSize(width: width, height: 4),
      on: Self.size
    )
    let layout = FrameLayout(
      area: area,
      pixelCount: 16,
      duration: 100,
      hasAlpha: false,
      isBlended: true
    )
    let layouts = [FrameLayout](repeating: layout, count: count)
    let composition = try FrameComposition(layouts, on: Self.size, limits: DecodeLimits())
    let info = AnimationInfo(
      format: .gif,
      size: Self.size,
      hasAlpha: composition.hasAlpha,
      frames: composition.frames,
      plays: nil
    )
    return CanvasComposer(info, composition, painter)
  }

  @Test func framesThatAllEndEarlyAreDrawnAFewTimesAtMost() throws {
    let painter = Painter()
    painter.isShort = true
    _ = try composer(200, painter).compose(199)
    #expect(painter.drawn <= 2 * 200)
  }

  @Test func framesBehindADamagedOneAreRefusedWithoutDrawing() throws {
    let painter = Painter()
    painter.damaged = 50
    let composer = try composer(200, painter, width: 3)
    for frame in 50..<200 {
      #expect(throws: DecodeError.self) { try composer.compose(frame) }
    }
    #expect(painter.drawn == 51)
    _ = try composer.compose(49)
    #expect(painter.drawn == 51 + 50)
  }
}
