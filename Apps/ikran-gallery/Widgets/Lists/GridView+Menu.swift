import CGTK

/// What a menu of a cell needs to know.
extension GridView {
  /// Calls a closure with the number of a cell's item, and where it is, at a click of the right
  /// button.
  func onRightClick(_ body: @escaping @MainActor (Int, ContextMenu.Area) -> Void) {
    onRightPress { [weak self] point in
      guard let self, let number = item(at: point) else { return }
      body(number, ContextMenu.area(at: point))
    }
  }

  /// The number of the item at a point.
  func item(at point: (x: Double, y: Double)) -> Int? {
    cell(around: gtk_widget_pick(pointer, point.x, point.y, GTK_PICK_DEFAULT))?.number
  }

  /// The number of the item that has the focus, and where its picture is.
  var focused: (number: Int, area: ContextMenu.Area)? {
    guard let root = gtk_widget_get_root(pointer),
      let found = cell(around: gtk_root_get_focus(root))
    else { return nil }
    var bounds = graphene_rect_t()
    guard gtk_widget_compute_bounds(found.cell.picture.pointer, pointer, &bounds) != 0 else {
      return nil
    }
    let (origin, size) = (bounds.origin, bounds.size)
    return (found.number, (Int(origin.x), Int(origin.y), Int(size.width), Int(size.height)))
  }
}
