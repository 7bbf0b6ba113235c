import CGTK
@testable import IkranGTK
import IkranTesting
import Testing

extension GTKTests {
  /// Several pictures of one widget.
  @Suite @MainActor
  struct SlotTests {
    private let pipeline = ImagePipeline.deterministic(transport: TestURL.origin())

    private func show(_ number: Int, in slot: ImageTarget.Slot, of window: Window) throws {
      let view = ImageTarget(window.widget, slot: slot)
      view.setImage(ImageRequest(TestURL.face(number), style: .small), from: pipeline)
      try Display.run { view.state.isShown }
    }

    @Test(
      arguments: [
        (ImageTarget.Slot.pressed, GTK_STATE_FLAG_ACTIVE), (.checked, GTK_STATE_FLAG_CHECKED),
        (.hovered, GTK_STATE_FLAG_PRELIGHT), (.selected, GTK_STATE_FLAG_SELECTED),
        (.focused, GTK_STATE_FLAG_FOCUSED), (.disabled, GTK_STATE_FLAG_INSENSITIVE),
      ] as [(ImageTarget.Slot, GtkStateFlags)]
    )
    func aStateWithAPictureShowsIt(slot: ImageTarget.Slot, flag: GtkStateFlags) throws {
      let window = try Window(width: 16, height: 16)
      try show(1, in: .image, of: window)
      try show(2, in: slot, of: window)
      try window.drawFrames(2)
      #expect(try window.pixels().middle == TestURL.color(1))
      gtk_widget_set_state_flags(window.widget, flag, 0)
      try window.drawFrames(2)
      #expect(try window.pixels().middle == TestURL.color(2))
      gtk_widget_unset_state_flags(window.widget, flag)
      try window.drawFrames(2)
      #expect(try window.pixels().middle == TestURL.color(1))
    }

    @Test func aPictureForAStateIsNotSeenInOthers() throws {
      let window = try Window(width: 16, height: 16)
      try show(2, in: .hovered, of: window)
      try window.drawFrames(2)
      #expect(try window.pixels().middle?.alpha == 0)
      gtk_widget_set_state_flags(window.widget, GTK_STATE_FLAG_PRELIGHT, 0)
      try window.drawFrames(2)
      #expect(try window.pixels().middle == TestURL.color(2))
    }

    @Test func aTransitionEndsAlsoWhereItIsNotSeen() throws {
      let window = try Window(width: 16, height: 16)
      let view = ImageTarget(window.widget, slot: .pressed)
      let options = DisplayOptions(transition: .fade(.milliseconds(30)))
      view.setImage(ImageRequest(TestURL.face(2), style: .small), from: pipeline, options: options)
      try Display.run { view.state.isShown }
      #expect(view.layer.isMoving)
      try Display.run { !view.layer.isMoving }
    }

    @Test func aStateWithoutAPictureShowsTheUsualOne() throws {
      let window = try Window(width: 16, height: 16)
      try show(1, in: .image, of: window)
      _ = ImageTarget(window.widget, slot: .pressed)
      gtk_widget_set_state_flags(window.widget, GTK_STATE_FLAG_ACTIVE, 0)
      try window.drawFrames(2)
      #expect(try window.pixels().middle == TestURL.color(1))
    }

    @Test func theBackgroundIsSeenWhereThePictureIsNot() throws {
      let window = try Window(width: 48, height: 16)
      let background = ImageTarget(window.widget, slot: .background)
      background.setImage(
        ImageRequest(TestURL.face(5), style: .small),
        from: pipeline,
        options: DisplayOptions(contentMode: .stretch)
      )
      try Display.run { background.state.isShown }
      let view = ImageTarget(window.widget)
      let options = DisplayOptions(contentMode: .center)
      view.setImage(ImageRequest(TestURL.face(1), style: .small), from: pipeline, options: options)
      try Display.run { view.state.isShown }
      try window.drawFrames(2)
      let pixels = try window.pixels()
      #expect(pixels.color(x: 4, y: pixels.height / 2) == TestURL.color(5))
      #expect(pixels.middle == TestURL.color(1))
      #expect(pixels.color(x: 44, y: pixels.height / 2) == TestURL.color(5))
    }

    @Test func eachSlotHasItsOwnLoad() throws {
      let window = try Window(width: 16, height: 16)
      let views = ImageTarget.Slot.allCases.map { ImageTarget(window.widget, slot: $0) }
      for (number, view) in views.enumerated() {
        view.setImage(ImageRequest(TestURL.face(number), style: .small), from: pipeline)
      }
      views[0].cancelImage()
      try Display.run { views.dropFirst().allSatisfy { $0.state.isShown } }
      #expect(views[0].state.isEmpty)
    }
  }
}
