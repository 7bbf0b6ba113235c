#if canImport(UIKit)
import Ikran
import IkranApple
import IkranViews
import Testing
import UIKit

extension ImageTarget.State {
  fileprivate var hasFailed: Bool { if case .failed = self { true } else { false } }
  fileprivate var isEmpty: Bool { if case .empty = self { true } else { false } }
}

/// A button's images for its states.
@MainActor
struct ButtonTests {
  private let button = UIButton(frame: CGRect(x: 0, y: 0, width: 16, height: 16))

  @Test func eachStateHasItsOwnImage() throws {
    let pipeline = try Pictures.pipeline(with: 0..<3)
    let slots = [ImageTarget.Slot.state(.normal), .state(.selected), .background(.highlighted)]
    for (number, slot) in slots.enumerated() {
      ImageTarget(button, slot: slot).setImage(try Pictures.request(number), from: pipeline)
    }
    let normal = try #require(button.image(for: .normal)?.cgImage)
    let selected = try #require(button.image(for: .selected)?.cgImage)
    let background = try #require(button.backgroundImage(for: .highlighted)?.cgImage)
    for (number, image) in [normal, selected, background].enumerated() {
      #expect(try Bitmap(drawing: image).color(x: 8, y: 8) == Pictures.color(number))
    }
  }

  @Test func oneStateIsCancelledAlone() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    let selected = ImageTarget(button, slot: .state(.selected))
    selected.setImage(try Pictures.request(7), from: pipeline)
    ImageTarget(button).setImage(try Pictures.request(0), from: pipeline)
    selected.cancelImage()
    #expect(selected.state.isEmpty)
    #expect(button.image(for: .normal) != nil)
  }

  @Test func aConfigurationHasTheBackground() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    button.configuration = .plain()
    let request = try Pictures.request(0)
    ImageTarget(button, slot: .background(.normal)).setImage(request, from: pipeline)
    #expect(button.configuration?.background.image != nil)
    let other = ImageTarget(button, slot: .background(.highlighted))
    other.setImage(request, from: pipeline)
    #expect(other.state.hasFailed)
  }

  @Test func aButtonHasNoHoveredImage() throws {
    let hovered = ImageTarget(button, slot: .hovered)
    hovered.setImage(try Pictures.request(0), from: try Pictures.pipeline(with: 0..<1))
    #expect(hovered.state.hasFailed)
  }
}
#endif
