/// One request that waits for what a source's load brings.
struct SourceWaiter: Sendable {
  /// What it waits for.
  enum Caller: Sendable {
    case image(SourceLoad.RenderTarget, CheckedContinuation<SourceResult<LoadedImage>, Never>)
    case body(CheckedContinuation<SourceResult<Body>, Never>)
  }

  /// A caller, and what it is resumed with.
  enum Resumption: Sendable {
    case image(CheckedContinuation<SourceResult<LoadedImage>, Never>, SourceResult<LoadedImage>)
    case body(CheckedContinuation<SourceResult<Body>, Never>, SourceResult<Body>)

    func resume() {
      switch self {
      case .image(let continuation, let result): continuation.resume(returning: result)
      case .body(let continuation, let result): continuation.resume(returning: result)
      }
    }
  }

  let source: SourceRequest
  let subscription: Subscription
  let caller: Caller

  /// Ends its wait with what the rules have decided.
  func resumption(with result: SourceResult<Never>) -> Resumption {
    switch caller {
    case .image(_, let continuation): .image(continuation, result.asResult())
    case .body(let continuation): .body(continuation, result.asResult())
    }
  }

  /// Ends its wait with what its batch has brought.
  func resumption(
    with results: RenderJob.Results,
    staleBecause error: ImageError?
  ) -> Resumption {
    switch caller {
    case .image(let renderTarget, let continuation):
      .image(continuation, results.image(of: renderTarget, staleBecause: error))
    case .body(let continuation):
      .body(continuation, .found(results.file, staleBecause: error))
    }
  }
}
