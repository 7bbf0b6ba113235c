/// What the keys do.
extension Gallery {
  func addKeys() {
    window.onClose { [weak self] in self?.end() }
    for keys in ["<Control>q", "<Control>w"] {
      window.onKeys(keys) { [weak self] in
        self?.end()
        return true
      }
    }
    window.onKeys("<Control>f") { [weak self] in
      guard let self else { return false }
      close()
      header?.focusSearch()
      return true
    }
    window.onKeys("Escape") { [weak self] in
      guard let self, opened != nil else { return false }
      close()
      return true
    }
    // Menus and the search field have it first.
    window.onKeys("Escape", phase: .last) { [weak self] in self?.leaveSearch() ?? false }
    window.onKeys("F11") { [window] in
      window.toggleFullScreen()
      return true
    }
    window.onFullScreen { [weak self] in self?.setFillsScreen($0) }
    window.onKeys("F5") { [weak self] in
      self?.reader?.readAgain()
      return true
    }
    addStepKeys()
    addCellKeys()
    addFileKeys()
  }

  /// Those of files.
  private func addFileKeys() {
    for (keys, isForFolder) in [("<Control>o", false), ("<Control><Shift>o", true)] {
      window.onKeys(keys) { [files] in
        files.choose(isForFolder: isForFolder)
        return true
      }
    }
    for keys in ["Delete", "KP_Delete"] {
      window.onKeys(keys) { [weak self] in
        // In the search field it deletes a letter.
        guard let self, let number = opened ?? grid.focused?.number else { return false }
        files.moveToTrash(number)
        return true
      }
    }
    for keys in ["Menu", "<Shift>F10"] {
      window.onKeys(keys) { [weak self] in self?.files.showMenu() ?? false }
    }
  }

  /// Those of the size of cells.
  private func addCellKeys() {
    let steps = [("plus", 1), ("equal", 1), ("KP_Add", 1), ("minus", -1), ("KP_Subtract", -1)]
    for (key, step) in steps {
      window.onKeys("<Control>" + key) { [weak self] in
        guard let self, opened == nil else { return false }
        enlargeCells(step)
        return true
      }
    }
  }

  /// Those of the picture that is shown large.
  private func addStepKeys() {
    let steps = [("plus", 1.0), ("equal", 1), ("KP_Add", 1), ("minus", -1), ("KP_Subtract", -1)]
    for (keys, step) in steps { addKey(keys) { $0.detail?.zoomByKey { $0.step(step) } } }
    for keys in ["1", "KP_1"] { addKey(keys) { $0.detail?.zoomByKey { $0.set(1) } } }
    for keys in ["0", "KP_0"] { addKey(keys) { $0.detail?.zoomByKey { $0.set(nil) } } }
    addKey("i") { $0.detail?.frame.change { $0.toggle() } }
    addKey("s") { $0.toggleSlideShow() }
    addKey("r") { $0.detail?.turn(by: 1) }
    addKey("<Shift>r") { $0.detail?.turn(by: -1) }
    for (keys, step) in DetailPage.stepKeys {
      window.onKeys(keys) { [weak self] in
        // The page has those that remain.
        guard let self, opened != nil, detail?.takesStepKeys != true else { return false }
        self.step(step)
        return true
      }
    }
  }

  private func addKey(_ keys: String, _ body: @escaping @MainActor (Gallery) -> Void) {
    window.onKeys(keys) { [weak self] in
      guard let self, opened != nil else { return false }
      body(self)
      return true
    }
  }
}
