import IkranPixels

/// Where a large picture and what is known of it lie: next to each other, or one above the other.
@MainActor
final class DetailFrame {
  let box: Overlay
  let side: DetailSide
  private let layers: Overlay
  /// What keeps the room below the side, as long as there is any.
  private let sidePlace: Scroller
  private var room = SideRoom(pageWidth: SideRoom.narrowest)
  /// The room for the picture, in points.
  private(set) var area = PixelSize(width: 64, height: 64)
  /// Called when the side is hidden that has the keyboard.
  private let leaveSide: @MainActor () -> Void

  /// Makes one as wide as pages are at least that show both.
  ///
  /// - Parameters:
  ///   - layers: What shows the picture.
  ///   - side: What is known of it.
  ///   - leaveSide: Called when the side is hidden that has the keyboard.
  init(_ layers: Overlay, _ side: DetailSide, leaveSide: @escaping @MainActor () -> Void) {
    (self.layers, self.side, self.leaveSide) = (layers, side, leaveSide)
    sidePlace = Scroller(Box.row().sizeRequest(width: DetailSide.width), across: .cut, down: .none)
    box = Overlay(Box.row(layers, sidePlace), right: side.panel)
    place()
  }

  /// The page has this size, in points.
  func set(width: Int, height: Int) {
    change { $0.pageWidth = width }
    let sideWidth = room.isNextToPicture ? DetailSide.width : 0
    area = PixelSize(
      width: max(64, width - sideWidth - 2 * room.margin),
      height: max(64, height - 2 * room.margin)
    )
  }

  /// Lets pages be wide, fill the screen and so on, as far as the side is concerned.
  func change(_ body: (inout SideRoom) -> Void) {
    let before = room
    body(&room)
    let isSame = room.isShown == before.isShown && room.isNarrow == before.isNarrow
    if !isSame { place() }
  }

  private func place() {
    let hadFocus = side.panel.hasFocus
    side.panel.setVisible(room.isShown)
    sidePlace.setVisible(room.isNextToPicture)
    layers.layout(margin: room.margin)
    // Of a widget that is hidden, the keys would move nothing.
    if hadFocus, !room.isShown { leaveSide() }
  }

  /// Whether what is known of the picture is shown.
  var isSideShown: Bool { room.isShown }
}
