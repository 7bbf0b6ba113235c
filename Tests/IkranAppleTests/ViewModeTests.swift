#if canImport(UIKit)
import Ikran
import IkranApple
import IkranViews
import Testing
import UIKit

/// The content mode of an image view, which is the program's.
@MainActor
struct ViewModeTests {
  private let view = UIImageView(frame: CGRect(x: 0, y: 0, width: 16, height: 16))

  @Test func anImageLeavesTheContentModeAsItIs() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    view.contentMode = .top
    ImageTarget(view).setImage(try Pictures.request(0), from: pipeline)
    #expect(view.contentMode == .top)
    #expect(view.imageContentMode == ContentMode(.none, vertical: 0))
  }

  @Test func aCancelledLoadLeavesTheContentModeOfTheProgram() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    view.contentMode = .scaleAspectFill
    let options = DisplayOptions(placeholder: .color(Pictures.color(1)))
    var request = try Pictures.request(7)
    // The placeholder of a style without a size fills the view.
    request.style = .original
    ImageTarget(view).setImage(request, from: pipeline, options: options)
    #expect(view.contentMode == .scaleToFill)
    #expect(view.imageContentMode == .cover)
    ImageTarget(view).cancelImage()
    #expect(view.contentMode == .scaleAspectFill)
  }

  @Test func aClearedViewHasItsOwnContentMode() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    view.contentMode = .scaleAspectFill
    let options = DisplayOptions(contentMode: .contain)
    ImageTarget(view).setImage(try Pictures.request(0), from: pipeline, options: options)
    #expect(view.contentMode == .scaleAspectFit)
    ImageTarget(view).clearImage()
    #expect(view.contentMode == .scaleAspectFill)
  }
}
#endif
