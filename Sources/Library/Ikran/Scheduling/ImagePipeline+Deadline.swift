extension ImagePipeline {
  /// Does a request's `work`, and leaves it when the request's deadline has passed: the callers of
  /// other requests that share the work wait on.
  ///
  /// - Throws: What `work` throws, ``ImageError/timedOut(_:url:)``, or ``ImageError/cancelled``.
  func withinDeadline<Value: Sendable>(
    of request: ImageRequest,
    _ work: @escaping @Sendable () async throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    guard let deadline = request.deadline else { return try await work() }
    let ending = await Deadline.race { [clock = context.clock] in
      try await clock.sleep(deadline)
    } _: {
      try await work()
    }
    switch ending {
    case .finished(.success(let value)): return value
    // `work` throws nothing else.
    case .finished(.failure(let error)): throw error as? ImageError ?? .cancelled
    case .timedOut: throw .timedOut(deadline, url: request.displayName)
    case .cancelled: throw .cancelled
    }
  }
}
