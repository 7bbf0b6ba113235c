import Ikran
import IkranViews

/// The rows of an ``ImageListFactory``.
@MainActor
final class ImageRows: ListRows {
  typealias Item = ImageListFactory.Item
  typealias Widgets = ImageListFactory.Widgets

  var options = DisplayOptions()

  private let pipeline: ImagePipeline
  private let makeWidgets: @MainActor () -> Widgets?
  private let show: (@MainActor (Item, Widgets) -> Void)?
  private let makeRequest: @MainActor (Item) -> ImageRequest?
  private var ahead: RowsAhead?

  init(
    _ pipeline: ImagePipeline,
    setUp: @escaping @MainActor () -> Widgets?,
    bind: (@MainActor (Item, Widgets) -> Void)?,
    request: @escaping @MainActor (Item) -> ImageRequest?
  ) {
    (self.pipeline, makeRequest) = (pipeline, request)
    (makeWidgets, show) = (setUp, bind)
  }

  func prefetch(_ model: ListModelHandle, count: Int, _ options: PrefetchOptions) {
    ahead?.end()
    ahead = RowsAhead(
      model,
      count: count,
      Prefetcher(pipeline, options: options),
      request: makeRequest
    )
  }

  func setUp(_ row: ListItemHandle) {
    guard let widgets = makeWidgets() else { return }
    row.setChild(widgets.row)
    WidgetHandle(widgets.row).setPictureInRow(widgets.picture)
  }

  func bind(_ row: ListItemHandle) {
    guard let widgets = existingWidgets(of: row), let object = row.object else { return }
    let item = Item(position: row.position, object: object)
    show?(item, widgets)
    let target = ImageTarget(widgets.picture)
    if let request = makeRequest(item) {
      target.setImage(request, from: pipeline, options: options)
    } else {
      target.layer.set(.nothing(.automatic), options)
    }
    ahead?.didBind(row, target.layer)
  }

  func unbind(_ row: ListItemHandle) {
    if let widgets = existingWidgets(of: row) { ImageTarget(widgets.picture).cancelImage() }
    ahead?.didUnbind(row)
  }

  private func existingWidgets(of row: ListItemHandle) -> Widgets? {
    guard let child = row.child,
      let picture = WidgetHandle(UnsafeMutableRawPointer(child)).pictureInRow
    else { return nil }
    return Widgets(row: UnsafeMutableRawPointer(child), picture: picture)
  }
}
