import IkranViews

extension ImageTarget.State {
  var isEmpty: Bool { if case .empty = self { true } else { false } }
  var isLoading: Bool { if case .loading = self { true } else { false } }
  var isShown: Bool { if case .shown = self { true } else { false } }
  var isLoaded: Bool { if case .loaded = self { true } else { false } }
  var hasFailed: Bool { if case .failed = self { true } else { false } }
}
