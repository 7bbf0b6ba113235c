import FoundationEssentials
import Ikran

/// Serves avatars of any size: `GET /ana.jpg?size=96` is a circle of the picture `ana.jpg` of an origin.
///
/// `respond` is what you would call from a route of your web framework; the loop below it is only as much
/// HTTP as a program without one needs, behind a proxy.
struct AvatarServer: Sendable {
  struct Response {
    var status = "200 OK"
    var type = "text/plain"
    var body: [UInt8]
  }

  let origin: URL
  let pipeline: ImagePipeline

  /// The avatar for a request's target.
  ///
  /// The origin is fixed, and the size is one of a few: what strangers send decides neither where
  /// this server connects to nor how many pictures it stores.
  func respond(to target: String) async -> Response {
    let parts = target.split(separator: "?", maxSplits: 1)
    let size = parts.count == 2 ? Double(parts[1].dropFirst("size=".count)) : 48
    guard let name = parts.first?.dropFirst(), !name.isEmpty, !name.contains("/"),
      let size, [24, 48, 96, 192].contains(size)
    else { return Response(status: "404 Not Found", body: Array("no such avatar\n".utf8)) }
    do {
      let url = origin.appending(path: String(name))
      let image = try await pipeline.image(from: url, style: .circle(size))
      return Response(type: "image/png", body: try image.encoded(as: .png))
    } catch ImageError.status(404, _, _) {
      return Response(status: "404 Not Found", body: Array("no such avatar\n".utf8))
    } catch {
      print("\(name): \(error)")
      return Response(status: "502 Bad Gateway", body: Array("no avatar now\n".utf8))
    }
  }
}

@main
enum Server {
  /// Serves on a free port of the loopback until it is stopped: `AvatarServer ORIGIN`.
  static func main() {
    let words = CommandLine.arguments
    guard words.count == 2, let origin = URL(string: words[1]) else {
      return print("usage: AvatarServer ORIGIN")
    }
    // The origin is yours. For URLs of strangers: ImagePipeline(transport: .untrustedURLs()).
    let server = AvatarServer(origin: origin, pipeline: .shared)
    do {
      try Listener().run { port in
        print("http://127.0.0.1:\(port)")
      } respond: { target in
        await server.respond(to: target)
      }
    } catch {
      print("\(error)")
    }
  }
}
