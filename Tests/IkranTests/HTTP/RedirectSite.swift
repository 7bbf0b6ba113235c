import IkranServer
import IkranStores
import Support

@testable import Ikran

/// A server whose answers a test changes, and what it was asked.
final class RedirectSite: Sendable {
  let answers = Guarded([String: Response]())
  let heads = Guarded([RequestHead]())
  let origin: Origin

  init() throws {
    let (answers, heads) = (answers, heads)
    origin = try Origin(threads: 1) { head in
      heads.withLock { $0.append(head) }
      return answers.withLock { $0[head.path] } ?? Response(404)
    }
    put("/old.png", try TestImages.png(width: 8, height: 8), ["Cache-Control": "max-age=1000"])
    put("/new.png", try TestImages.png(width: 9, height: 9), ["Cache-Control": "max-age=1000"])
  }

  deinit { origin.stop() }

  var paths: [String] { heads.withLock { $0.map(\.path) } }

  func put(_ path: String, _ body: [UInt8], _ fields: [String: String]) {
    let fields = fields.map { Field($0.key, $0.value) }
    answers.withLock { $0[path] = Response(200, headers: fields, body: body) }
  }

  func redirect(
    _ path: String,
    to target: String,
    _ status: Int = 302,
    _ fields: [String: String] = [:]
  ) {
    let fields = [Field("Location", target)] + fields.map { Field($0.key, $0.value) }
    answers.withLock { $0[path] = Response(status, headers: fields) }
  }

  func fail(_ path: String, _ status: Int) {
    answers.withLock { $0[path] = Response(status) }
  }
}
