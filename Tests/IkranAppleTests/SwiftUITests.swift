import Ikran
import IkranApple
import IkranSwiftUI
import SwiftUI
import Testing

/// Images of SwiftUI, drawn without a window.
@MainActor
struct SwiftUITests {
  @Test func theFirstFrameHasThePictureOfTheMemory() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    let view = IkranImage(try Pictures.request(0), from: pipeline) { $0.image }
    let image = try #require(ImageRenderer(content: view).cgImage)
    let drawn = try Bitmap(drawing: image)
    #expect(Pictures.isNear(drawn.color(x: 8, y: 8), Pictures.color(0)))
  }

  @Test func theFirstFrameOfAnyOtherImageIsThatOfALoad() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    let phases = Phases()
    let view = IkranImage(try Pictures.request(7), from: pipeline) { phases.add($0) }
    _ = ImageRenderer(content: view).cgImage
    let first = try #require(phases.all.first)
    #expect(first.image == nil)
    #expect(first.error == nil)
    var isLoading = false
    if case .loading = first { isLoading = true }
    #expect(isLoading)
  }

  @Test func aViewWithoutURLIsEmpty() throws {
    let phases = Phases()
    let view = IkranImage(nil as ImageRequest?) { phases.add($0) }
    _ = ImageRenderer(content: view).cgImage
    var isEmpty = false
    if case .empty = try #require(phases.all.first) { isEmpty = true }
    #expect(isEmpty)
  }
}

/// The phases that a content was made for.
@MainActor
private final class Phases {
  private(set) var all: [IkranImagePhase] = []

  func add(_ phase: IkranImagePhase) -> SwiftUI.Image? {
    all.append(phase)
    return phase.image
  }
}
