import IkranHTTP
import Synchronization

/// An HTTP/1.1 server for demos, tests and benchmarks: pictures, and faults on demand.
///
/// In addition to its ``OriginContent`` every origin serves:
///
/// | path | response |
/// | --- | --- |
/// | `/stats` | ``OriginStatistics`` as JSON; never counted, delayed or failed |
/// | `/`, `/list.txt` | the URL of every picture, one per line; never delayed or failed |
/// | `/status/CODE` | a response with that status, 200…599 |
/// | `/redirect/N` | N redirects, then a picture |
/// | `/loop` | a redirect to itself |
/// | `/redirect-to-file` | a redirect to `file:///etc/passwd` |
/// | `/html.jpg` | an HTML page, `text/html` |
/// | `/empty.jpg` | no bytes, `image/jpeg` |
/// | `/truncated.jpg` | the first 60 % of a JPEG, with the right Content-Length |
/// | `/huge.png` | a PNG whose header claims 100,000×100,000 pixels |
/// | `/bytes/N` | N bytes; byte n is n modulo 251 |
/// | `/chunked/N` | the same without Content-Length |
/// | `/endless` | a body that never ends, in pieces of a kilobyte |
/// | `/slow/MS` | a picture after MS milliseconds, or at once when the origin stops |
/// | `/drip/N/MS` | N bytes, one every MS milliseconds |
/// | `/chaos/PATH?…` | the picture, file or `/bytes/N` at PATH, with the faults of the query |
///
/// Chaos has these parameters; any other gets a 400. Requests are counted per path and query, for
/// `fail` and `change`.
///
/// | parameter | effect |
/// | --- | --- |
/// | `fault=CODE`, `drop`, `reset`, `truncate` | a status, a closed or reset connection, half a body |
/// | `fail=N` | only the first N requests fail, with 503 or the given `fault` |
/// | `retry-after=TEXT` | `Retry-After` of failures; `date:S` is the date in S seconds |
/// | `delay=MS` | delays the response |
/// | `drip=N` | N bytes per second |
/// | `change=N` | another body and ETag after each N requests |
/// | `etag=strong`, `weak`, `none` | the kind of `ETag`; strong by default |
/// | `modified=none` | no `Last-Modified` |
/// | `ranges=ignore` | 200 to every request for a range |
/// | `ranges=stale` | 206 although `If-Range` names another version |
/// | `ranges=wrong`, `short` | a `Content-Range` off by one, a part one byte shorter than requested |
/// | `ranges=refuse` | 416 to every request for a range |
/// | `length=more`, `less`, `none` | a `Content-Length` 10 too large or small, or none |
/// | `header=NAME:VALUE` | an additional field, such as `Cache-Control`, `Vary`, `Age`, `Location` |
///
/// Successful answers carry `X-Body-FNV1a`, the FNV-1a hash (64 bits, hexadecimal) of the whole
/// body, except those of files and of patterns over 4 MiB.
///
/// A folder's files take precedence over these, except over `/stats`, `/` and `/list.txt`.
///
/// Each thread runs an epoll loop over many connections. A request that waits (a delay, a slow
/// path) suspends its connection, so it never blocks a thread.
package final class Origin: Sendable {
  /// The port it listens on.
  package let port: Int
  /// The paths of every picture, percent-encoded, in order.
  package let paths: [String]
  private let host: String
  private let handler: RequestHandler
  private let daemon: DaemonHandle
  private let isStopped = Atomic(false)

  /// Starts serving.
  ///
  /// - Parameters:
  ///   - content: What it serves.
  ///   - faults: The faults it produces.
  ///   - host: The address to listen on; the default is reachable from this machine only.
  ///   - port: 0 takes any free port; see ``port``.
  ///   - threads: How many threads serve requests.
  /// - Throws: ``ServerError`` when the port is taken or forbidden, the host is not this machine,
  ///   or the folder cannot be read.
  package init(
    _ content: OriginContent,
    faults: Faults = Faults(),
    host: String = "127.0.0.1",
    port: Int = 0,
    threads: Int = 2
  ) throws(ServerError) {
    let routes = try Routes(content, faults: faults)
    paths = routes.paths
    self.host = host
    handler = RequestHandler(routes: routes)
    daemon = try Self.listen(handler, host: host, port: port, threads: threads)
    self.port = daemon.port
  }

  /// Starts serving the responses of a closure, except for `/stats`.
  ///
  /// - Parameters:
  ///   - threads: How many threads serve requests.
  ///   - respond: Called with each whole request, on any of the threads, for several at once; nil
  ///     closes the connection without a response.
  /// - Throws: ``ServerError``.
  package init(
    threads: Int = 2,
    answering respond: @escaping @Sendable (RequestHead) -> Response?
  ) throws(ServerError) {
    paths = []
    host = "127.0.0.1"
    handler = RequestHandler(routes: Routes(answering: respond))
    daemon = try Self.listen(handler, host: host, port: 0, threads: threads)
    port = daemon.port
  }

  private static func listen(
    _ handler: RequestHandler,
    host: String,
    port: Int,
    threads: Int
  ) throws(ServerError) -> DaemonHandle {
    var options = DaemonOptions()
    options.threads = threads
    do throws(ListenError) {
      return try DaemonHandle(handler: handler, host: host, port: port, options: options)
    } catch {
      throw .cannotListen(error)
    }
  }

  deinit { stop() }

  /// `http://HOST:PORT`, without a slash at the end.
  package var baseURL: String {
    let reachable = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
    return "http://\(reachable.contains(":") ? "[\(reachable)]" : reachable):\(port)"
  }

  /// The URLs of every picture, in order.
  package var urls: [String] { paths.map { baseURL + $0 } }

  /// How often each path was requested.
  package var stats: [String: Int] { handler.log.statistics.paths }

  /// Everything counted so far.
  package var statistics: OriginStatistics { handler.log.statistics }

  /// Resets the counts.
  package func resetStats() { handler.log.reset() }

  /// Draws the portraits in advance, as many as its cache holds, so that the first request for one
  /// is as fast as the next.
  ///
  /// Takes about 7 ms of this thread per portrait. Does nothing for a folder.
  package func prepare() { handler.routes.prepare() }

  /// Stops listening, ends every wait, closes every connection and joins the threads.
  ///
  /// Blocks until the last handler has returned. Does nothing the second time.
  package func stop() {
    guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    handler.suspended.stop()
    daemon.stop()
  }
}
