import IkranCodecs

extension DecodeNote {
  /// Whether a part of the file is missing.
  var isOfCutFile: Bool {
    switch self {
    case .cut, .framesMissing(_, isCut: true): true
    default: false
    }
  }

  /// What is missing of an animation; nil when nothing is.
  init?(_ animation: AnimationInfo) {
    guard case .broken(let error) = animation.end else { return nil }
    let isCut = if case .truncated = error { true } else { false }
    self = .framesMissing(after: animation.frames.count, isCut: isCut)
  }
}
