public import Ikran
public import IkranViews

/// The factory of a `GtkListView`, a `GtkGridView` or a column whose rows show an image each.
///
/// ```swift
/// let factory = ImageListFactory(width: 48, height: 48) { item in
///   ImageRequest(faces[item.position], style: .circle(48))
/// }
/// factory.prefetch(from: model)
/// gtk_list_view_set_factory(list, factory.pointer)
/// ```
/// A row that is bound again ends the load of what it stood for, and never shows that. Those in
/// sight load first. The list keeps what the factory needs; this object may end before.
@MainActor
public final class ImageListFactory {
  /// What a row stands for.
  public struct Item {
    /// Its place in the model, from 0.
    public let position: Int
    /// The item, a `GObject *`, valid within the call.
    public let object: UnsafeMutableRawPointer

    /// The text of a `GtkStringObject`, as in a `GtkStringList`; nil for other objects.
    @MainActor
    public var text: String? { ListFactoryHandle.text(of: object) }
  }

  /// The widgets of a row.
  public struct Widgets {
    /// The whole row: a `GtkWidget *`.
    public let row: UnsafeMutableRawPointer
    /// What shows the image: that widget or one in it, of those that ``ImageTarget`` knows; it
    /// stays there as long as the row.
    public let picture: UnsafeMutableRawPointer

    /// Names the widgets of a row.
    public init(row: UnsafeMutableRawPointer, picture: UnsafeMutableRawPointer) {
      (self.row, self.picture) = (row, picture)
    }
  }

  /// How the images are shown; a change counts for rows that are bound after it.
  public var options: DisplayOptions {
    get { rows.options }
    set { rows.options = newValue }
  }

  /// The `GtkListItemFactory *`, valid as long as this object or a list that has it.
  ///
  /// Give it to a list by `gtk_list_view_set_factory` and the like, which take a reference;
  /// `gtk_list_view_new` takes this object's away.
  public var pointer: OpaquePointer { factory.pointer }

  private let rows: ImageRows
  private let factory: ListFactoryHandle

  /// Makes rows of one picture.
  ///
  /// - Parameters:
  ///   - width: The least width of a picture in points.
  ///   - height: The least height of a picture in points.
  ///   - pipeline: What loads the images.
  ///   - request: The image of an item; nil shows the placeholder.
  public convenience init(
    width: Int,
    height: Int,
    from pipeline: ImagePipeline = .shared,
    request: @escaping @MainActor (Item) -> ImageRequest?
  ) {
    self.init(
      from: pipeline,
      setUp: {
        WidgetHandle.makePicture(width: width, height: height).map {
          Widgets(row: $0, picture: $0)
        }
      },
      request: request
    )
  }

  /// Makes rows of the program's own widgets.
  ///
  /// - Parameters:
  ///   - pipeline: What loads the images.
  ///   - setUp: Makes the widgets of a row; called once for each of the few rows that a list has.
  ///   - bind: Shows what else there is of an item in a row; called before its image is set.
  ///   - request: The image of an item; nil shows the placeholder.
  public init(
    from pipeline: ImagePipeline = .shared,
    setUp: @escaping @MainActor () -> Widgets?,
    bind: (@MainActor (Item, Widgets) -> Void)? = nil,
    request: @escaping @MainActor (Item) -> ImageRequest?
  ) {
    rows = ImageRows(pipeline, setUp: setUp, bind: bind, request: request)
    factory = ListFactoryHandle(rows)
  }

  /// Loads the images of the next items, in the direction in which the list is scrolled, before
  /// their rows come.
  ///
  /// Loads that are no longer ahead are cancelled. Images in `Style.automatic` are loaded in the
  /// size of the rows there are.
  ///
  /// - Parameters:
  ///   - model: The list's `GListModel *`.
  ///   - count: How many items ahead of the bound rows; GTK binds some out of sight itself.
  ///   - prefetch: Where the images are kept, and how many load at once.
  public func prefetch(
    from model: OpaquePointer,
    count: Int = 32,
    options prefetch: PrefetchOptions = PrefetchOptions()
  ) {
    rows.prefetch(ListModelHandle(model), count: count, prefetch)
  }
}
