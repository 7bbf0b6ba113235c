import IkranHTTP
import IkranSystem
import IkranTransport

/// Reads `local:///` URLs: the regular files below one folder.
///
/// Links that lead out of it are not followed. A file is known by its inode, its time and its size,
/// and asked for again each time.
struct LocalTransport: Transport {
  private let folder: RealFolder
  private let pool = WorkerPool<Void>(name: "ikran-local", threads: 2) { _ in }

  init(_ folder: RealFolder) { self.folder = folder }

  func fetch(
    _ request: TransportRequest,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(TransportError) -> TransportResponse {
    let (folder, limit) = (folder, max(0, request.maximumBodyBytes))
    let path = try Self.path(of: request.url)
    let known = request.headers.first { $0.isNamed("if-none-match") }?.value
    let result: Result<TransportResponse, TransportError> = await withCheckedContinuation { done in
      pool.submit(id: pool.nextID(), priority: { 0 }) { _ in
        done.resume(
          returning: Result { () throws(TransportError) in
            guard let file = folder.open(path) else {
              return TransportResponse(status: 404, body: [], url: request.url)
            }
            return try Self.response(file, to: request.url, knowing: known, limit: limit)
          }
        )
      } dropped: {
        done.resume(returning: .failure(.cancelled))
      }
    }
    if Task.isCancelled { throw .cancelled }
    let response = try result.get()
    progress(TransferProgress(received: response.body.count, expected: response.body.count))
    return response
  }

  private static func response(
    _ file: ServedFile,
    to url: String,
    knowing tag: String?,
    limit: Int
  ) throws(TransportError) -> TransportResponse {
    let fields = [HeaderField("ETag", file.tag), HeaderField("Cache-Control", "no-cache")]
    if tag == file.tag {
      return TransportResponse(status: 304, headers: fields, body: [], url: url)
    }
    guard file.size <= limit else { throw .bodyTooLarge(limit: limit) }
    let body = file.prefix(file.size)
    guard body.count == file.size else { throw .connectionLost(received: body.count) }
    return TransportResponse(status: 200, headers: fields, body: body, url: url)
  }

  /// The path below the folder; hosts and queries do not matter.
  private static func path(of url: String) throws(TransportError) -> String {
    let rest = url.dropFirst("local://".count)
    guard let slash = rest.firstIndex(of: "/") else {
      throw .invalidURL("the URL has no path; local:///photo.jpg has one")
    }
    let path = rest[slash...].dropFirst().prefix { $0 != "?" }
    guard let bytes = percentDecoded(path.utf8), !bytes.contains(0) else {
      throw .invalidURL("the URL has a broken escape")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
