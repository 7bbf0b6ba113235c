import IkranGTK

/// What the user does with files: opens others, and opens, finds, names and discards one.
@MainActor
final class FileActions {
  typealias ChooseProgram =
    @MainActor (Window, Item, @escaping @MainActor (String?) -> Void) -> ProgramChooser?

  /// Says what went wrong, and what can be taken back.
  let bar = MessageBar()
  /// Opens a URL with another program, or calls the closure with the reason why not.
  var launch: @MainActor (String, @escaping @MainActor (String) -> Void) -> Void = {
    Desktop.open($0, onFailure: $1)
  }
  /// Lets the user choose the program for a file, and calls the closure when that has ended, with
  /// the reason when none was started.
  var chooseProgram: ChooseProgram = { window, item, onEnd in
    let dialog = item.path.flatMap {
      ProgramChooser(over: window, path: $0, url: item.location, onEnd: onEnd)
    }
    dialog?.show()
    return dialog
  }
  /// That of the grid's cells.
  private(set) var menu: ContextMenu?
  /// That of the picture that is shown large.
  private(set) var pictureMenu: ContextMenu?
  private(set) var chooser: FileChooser?
  private(set) var programs: ProgramChooser?
  private weak var gallery: Gallery?

  /// Adds the menu to the grid of a gallery, and to its large picture.
  func begin(_ gallery: Gallery) {
    self.gallery = gallery
    menu = ContextMenu(on: gallery.grid, entries)
    gallery.grid.onRightClick { [weak self] in self?.show(self?.menu, for: $0, at: $1) }
    guard let layers = gallery.detail?.layers else { return }
    pictureMenu = ContextMenu(on: layers, entries)
    pictureMenu?.onClose = { [weak gallery] in gallery?.detail?.focusPicture() }
    layers.onRightPress { [weak self] in self?.showPictureMenu(at: ContextMenu.area(at: $0)) }
  }

  private var entries: [ContextMenu.Entry] {
    [
      entry("Open", "open") { $0.launch($1.location, $0.complain) },
      entry("Open With…", "program", wantsFile: true) { $0.openWithAnotherProgram($1) },
      entry("Show in Folder", "folder", wantsFile: true) { $0.showFolder(of: $1) },
      entry("Copy File Name", "copy") { Desktop.copy($1.name) },
      ContextMenu.Entry(title: "Move to Trash", name: "trash", wantsFile: true) {
        [weak self] in self?.moveToTrash($0)
      },
    ]
  }

  private func entry(
    _ title: String,
    _ name: String,
    wantsFile: Bool = false,
    body: @escaping @MainActor (FileActions, Item) -> Void
  ) -> ContextMenu.Entry {
    ContextMenu.Entry(title: title, name: name, wantsFile: wantsFile) { [weak self] number in
      guard let self, let item = gallery?.binder.items[number] else { return }
      body(self, item)
    }
  }

  private func complain(_ reason: String) { bar.show(reason) }

  private func openWithAnotherProgram(_ item: Item) {
    guard let window = gallery?.window, item.path != nil else { return }
    programs = chooseProgram(window, item) { [weak self] failure in
      if let failure { self?.complain(failure) }
      // The dialog is still in use.
      MainLoop.post { [weak self] in self?.programs = nil }
    }
  }

  private func showFolder(of item: Item) {
    guard let path = item.path else { return }
    let folder = path[..<(path.lastIndex(of: "/") ?? path.endIndex)]
    launch(Item(path: folder.isEmpty ? "/" : String(folder)).location, complain)
  }

  // MARK: - The menu

  /// Shows the menu of the large picture, or of the cell that has the focus; false where there is
  /// neither.
  func showMenu() -> Bool {
    if let layers = gallery?.detail?.layers, gallery?.opened != nil {
      showPictureMenu(at: (layers.width / 2, layers.height / 2, 1, 1))
      return true
    }
    guard let (number, area) = gallery?.grid.focused else { return false }
    show(menu, for: number, at: area)
    return true
  }

  private func showPictureMenu(at area: ContextMenu.Area) {
    if let number = gallery?.opened { show(pictureMenu, for: number, at: area) }
  }

  private func show(_ menu: ContextMenu?, for number: Int, at area: ContextMenu.Area) {
    guard let item = gallery?.binder.items[number] else { return }
    menu?.show(for: number, isFile: item.path != nil, at: area)
  }

  func closeMenus() {
    menu?.close()
    pictureMenu?.close()
  }

  // MARK: - The trash

  /// Moves the file of an item to the trash, on another thread, and offers to put it back.
  func moveToTrash(_ number: Int) {
    guard let item = gallery?.binder.items[number] else { return }
    guard let path = item.path else { return bar.show("“\(item.name)” is no file here.") }
    Task { @concurrent [weak self] in
      do throws(Trash.Failure) {
        try Trash.move(path)
        MainLoop.post { [weak self] in self?.didMove(number, item.name, from: path) }
      } catch {
        MainLoop.post { [weak self] in
          self?.bar.show("“\(item.name)” stays where it is: \(error.reason)")
        }
      }
    }
  }

  private func didMove(_ number: Int, _ name: String, from path: String) {
    gallery?.arrangement.hide(number)
    bar.show("“\(name)” is in the trash.") { [weak self] in
      self?.bar.hide()
      // The button had it.
      if self?.gallery?.opened == nil { self?.gallery?.focusGrid() }
      self?.putBack(number, name, to: path)
    }
  }

  private func putBack(_ number: Int, _ name: String, to path: String) {
    Task { @concurrent [weak self] in
      do throws(Trash.Failure) {
        try Trash.putBack(path)
        MainLoop.post { [weak self] in
          self?.gallery?.arrangement.show(number)
          self?.bar.show("“\(name)” is back.")
        }
      } catch {
        MainLoop.post { [weak self] in
          self?.bar.show("“\(name)” stays in the trash: \(error.reason)")
        }
      }
    }
  }

  // MARK: - Other files

  /// Lets the user choose what is shown instead.
  func choose(isForFolder: Bool) {
    guard let window = gallery?.window else { return }
    chooser = FileChooser(over: window, isForFolder: isForFolder) { [weak self] paths in
      if !paths.isEmpty { self?.show(paths) }
      // The dialog is still in use.
      MainLoop.post { [weak self] in self?.chooser = nil }
    }
    chooser?.show()
  }

  /// Shows files, and the pictures of folders, instead of those that are shown; they are looked for
  /// on another thread.
  func show(_ paths: [String]) {
    Task { @concurrent [weak self] in
      do {
        let source = try GallerySource(.paths(paths), stills: false)
        MainLoop.post { [weak self] in self?.gallery?.use(source) }
      } catch {
        let sentence = "\(error)"
        MainLoop.post { [weak self] in self?.complain(sentence) }
      }
    }
  }
}
