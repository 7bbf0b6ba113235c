/// What a request gets of its source: the one ending of its wait.
///
/// `staleBecause` is why the origin could not be asked, when what it gets is stale.
enum SourceResult: Sendable {
  case image(LoadedImage, staleBecause: ImageError?)
  case body(Body, staleBecause: ImageError?)
  /// The image that its caller holds is valid, or what it wanted validated.
  case unchanged(SourceLoad.Validity, staleBecause: ImageError?)
  case redirected(Redirect)
  /// A cache had a redirect, which is known by now.
  case storedRedirect
  /// No cache has it, and the network is not wanted.
  case notCached
  case failed(ImageError)
}
