package import IkranCodecs
package import IkranPixels
package import IkranStores
import IkranSystem
package import IkranTransport

/// A source's file, and what its origin said of it.
package struct SourceFile: Sendable {
  /// All bytes of the file, or its beginning.
  package let bytes: [UInt8]
  /// Where they were found.
  package let source: ImageSource
  /// Names the bytes: equal for equal ones, on every run and machine.
  package let content: TableID?
  /// Until when they may be used without asking the origin, in microseconds since 1970.
  package let freshUntil: Int64
  /// Those fields of the origin's response that are kept with its file.
  package let headers: [HeaderField]
  /// The length of the whole file in bytes where only its beginning is there; nil where all is.
  package internal(set) var wholeCount: Int?

  /// Describes a file.
  package init(
    bytes: [UInt8],
    source: ImageSource,
    content: TableID?,
    freshUntil: Int64,
    headers: [HeaderField]
  ) {
    (self.bytes, self.source, self.content) = (bytes, source, content)
    (self.freshUntil, self.headers) = (freshUntil, headers)
  }
}

// What a program needs that makes pictures of its own kind: the files, and the threads.

extension ImagePipeline {
  /// A request's file as ``data(for:onProgress:)`` brings it, with what is known of it.
  ///
  /// - Parameters:
  ///   - request: Where it is.
  ///   - needed: The pixels for which the beginning of a progressive JPEG is enough, of which
  ///     ``/IkranCodecs/JPEGPrefix`` then makes those of the whole file; nil needs all bytes. The
  ///     download ends early as one of an image does (``ImageRequest/stopsEarly``).
  /// - Returns: The file, or its beginning.
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled.
  package func sourceFile(
    for request: ImageRequest,
    needing needed: NeededPixels? = nil
  ) async throws(ImageError) -> SourceFile {
    let request = prepared(request)
    let subscription = Subscription(request.priority)
    let body = try await reportingFailure(of: request, subscription) {
      () async throws(ImageError) in
      try await self.withSources(of: request) { (chosen) async throws(ImageError) -> Body in
        let newest = self.demand(of: chosen)
        return try await self.loadBody(chosen, subscription, demand: newest, needing: needed)
      }
    }
    report(.success(body.source), of: request, metrics: metrics(subscription, body))
    var visit = lookUp(request)
    var until = visit.record?.fresh.upperBound ?? 0
    for _ in 0..<Self.maximumRedirects {
      guard let target = visit.target else { break }
      visit = lookUp(target)
      until = min(until, visit.record?.fresh.upperBound ?? 0)
    }
    // Since it was loaded, the source may have got other bytes; and where there is no disk, files
    // have no records.
    let record = visit.record?.body == body.id ? visit.record : nil
    let arrived = (body.arrival?.response).map(context.record(by:))
    var file = SourceFile(
      bytes: body.bytes,
      source: body.source,
      content: body.id,
      freshUntil: record == nil ? arrived?.fresh.upperBound ?? 0 : until,
      headers: record?.response?.headers ?? body.arrival?.response.headers ?? []
    )
    file.wholeCount = body.prefix.map { $0.total ?? body.bytes.count }
    return file
  }

  /// Runs work on a thread that decodes, in its turn among requests of a priority.
  ///
  /// - Parameters:
  ///   - priority: When it has its turn.
  ///   - work: Gets the codecs, and working memory; its decodes end once the task is cancelled.
  /// - Returns: What the work returns.
  /// - Throws: ``ImageError/cancelled`` when the task is cancelled before it begins.
  package func computing<Value: Sendable>(
    _ priority: ImagePriority = .normal,
    _ work: @escaping @Sendable (CodecList, Workspace) -> Value
  ) async throws(ImageError) -> Value {
    let (codecs, cancellation) = (context.codecs, JobCancellation())
    let computing = context.computing
    let result: Result<Value, ImageError> = await withTaskCancellationHandler {
      do throws(ImageError) {
        return .success(
          try await computing.run(Subscription(priority)) { (workspace) throws(ImageError) in
            workspace.cancellation = cancellation
            defer { workspace.cancellation = nil }
            return work(codecs, workspace)
          }
        )
      } catch { return .failure(error) }
    } onCancel: {
      cancellation.cancel()
    }
    return try result.get()
  }
}
