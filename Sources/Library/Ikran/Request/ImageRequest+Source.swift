package import IkranFoundation
import IkranStores
import IkranTransport

extension ImageRequest {
  /// Pixels per point of the file, as its name says: 2 for `face@2x.png`, 1 when it says nothing.
  ///
  /// In the style `.original` an image is meant to be shown at its width and height
  /// divided by this.
  public var nominalScale: Int {
    let name =
      switch source {
      case .url(let url): Substring(url).prefix { $0 != "?" }.split(separator: "/").last ?? ""
      case .bytes(_, let id), .closure(_, let id): Substring(id)
      }
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
    guard stem.last == "x", let factor = stem.dropLast().last?.wholeNumberValue,
      (1...9).contains(factor)
    else {
      return 1
    }
    let before = stem.dropLast(2)
    return before.hasSuffix("@") || before.hasSuffix("%40") ? factor : 1
  }

  /// The URL of its bytes; nil when they came along.
  package var url: URL? {
    switch source {
    case .url(let url): URL(string: url)
    case .bytes, .closure: nil
    }
  }

  /// What follows the colon of a URL of a scheme.
  ///
  /// - Parameter scheme: In lower case.
  /// - Returns: The text; nil for other schemes, and for data.
  package func address(in scheme: String) -> Substring? {
    guard case .url(let url) = source else { return nil }
    let count = scheme.utf8.count
    let rest = url.utf8.dropFirst(count)
    // As capitals have it, but for this bit.
    guard rest.first == UInt8(ascii: ":"),
      url.utf8.prefix(count).lazy.map({ $0 | 0x20 }).elementsEqual(scheme.utf8)
    else { return nil }
    return Substring(rest.dropFirst())
  }

  /// The name of the source in messages: the URL without its secrets, or the data's id.
  var displayName: String {
    switch source {
    case .url(let url): redirectChain?.name ?? redacted(url)
    case .bytes(_, let id), .closure(_, let id): id
    }
  }

  /// Whether its bytes come over the network.
  var isDownload: Bool { origin == .network }

  /// Whether it is a GET without a body: only these are resumed, and redirected through the caches.
  var isPlainGet: Bool { transfer.method == "GET" && transfer.body == nil }

  /// The id of bytes that are no download: a file's tells its size, its inode and when it was last
  /// changed, and that of data is its key's.
  ///
  /// It takes one `stat` for a file.
  func localID(under key: SourceKey) -> BodyID {
    guard origin == .file, case .url(let url) = source, let path = try? FileTransport.path(of: url),
      let version = Files.version(of: path)
    else { return key.id }
    return version
  }

  /// The body that came with the request, or that its closure brings.
  func ownBody(_ key: SourceKey) async throws(ImageError) -> Body {
    let bytes: [UInt8]
    switch source {
    case .url: throw .invalidRequest("the request brings no data")
    case .bytes(let own, _): bytes = own
    case .closure(let bring, let id):
      do {
        bytes = try await bring()
      } catch {
        throw Task.isCancelled ? .cancelled : .source("\(error)", url: id)
      }
    }
    return Body(bytes: bytes, source: .data, id: key.id, sourceKey: key)
  }
}
