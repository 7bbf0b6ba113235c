import IkranGTK

/// Notes the states of a view.
@MainActor
final class StateRecorder: Sendable {
  private(set) var names: [String] = []

  var options: DisplayOptions { DisplayOptions(onChange: { self.note($0) }) }

  private func note(_ state: ImageTarget.State) {
    let name =
      switch state {
      case .empty: "empty"
      case .loading(nil): "loading"
      case .loading: "progress"
      case .shown(let source): "shown \(source.rawValue)"
      case .loaded(let source): "loaded \(source.rawValue)"
      case .failed: "failed"
      }
    names.append(name)
  }
}
