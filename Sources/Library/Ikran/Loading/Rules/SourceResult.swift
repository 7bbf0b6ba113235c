/// What a request gets of its source: the one ending of its wait.
///
/// What is found is a ``LoadedImage`` or a ``Body``, as its caller wanted; the rules of a load find
/// nothing themselves. `staleBecause` is why the origin could not be asked, when what was found is
/// stale.
enum SourceResult<Found: Sendable>: Sendable {
  case found(Found, staleBecause: ImageError?)
  /// The image that its caller holds is valid, or what it wanted validated.
  case unchanged(staleBecause: ImageError?)
  case redirected(Redirect)
  /// A cache had a redirect, which is known by now.
  case storedRedirect
  /// No cache has it, and the network is not wanted; or a storage has nothing.
  case notCached
  case failed(ImageError)
}

extension SourceResult<Never> {
  /// This ending, for a caller that wanted something to be found.
  func asResult<Wanted>() -> SourceResult<Wanted> {
    switch self {
    case .unchanged(let error): .unchanged(staleBecause: error)
    case .redirected(let redirect): .redirected(redirect)
    case .storedRedirect: .storedRedirect
    case .notCached: .notCached
    case .failed(let error): .failed(error)
    }
  }
}
