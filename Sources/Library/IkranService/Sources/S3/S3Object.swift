import IkranHTTP
import IkranPixels
import IkranTransport

/// An object in a bucket, as `s3://bucket/key?version` names it.
struct S3Object: Sendable, Hashable {
  let bucket: String
  let key: [UInt8]
  let version: String?

  /// Reads a URL, whose key and version are percent-encoded.
  ///
  /// - Throws: ``TransportError/invalidURL(_:)``.
  init(_ url: String) throws(TransportError) {
    let rest = url.utf8.dropFirst("s3://".utf8.count)
    let bucket = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    guard url.utf8.dropFirst(3).starts(with: "//".utf8), Self.isBucket(bucket) else {
      throw .invalidURL("the URL names no bucket; s3://bucket/key does")
    }
    let path = rest[bucket.endIndex...].prefix { $0 != UInt8(ascii: "?") }
    let name = path.drop { $0 == UInt8(ascii: "/") }
    guard let key = percentDecoded(name), let version = percentDecoded(rest[path.endIndex...])
    else { throw .invalidURL("the URL has a broken escape") }
    guard !key.isEmpty else { throw .invalidURL("the URL names no key; s3://bucket/key does") }
    let parts = key.split(separator: UInt8(ascii: "/"))
    guard !parts.contains(where: { $0 == [0x2E] || $0 == [0x2E, 0x2E] }) else {
      // Clients and proxies take them out, and the signature would be of another path.
      throw .invalidURL("keys with “.” or “..” between slashes are not supported")
    }
    self.bucket = String(Substring(bucket))
    self.key = key
    let text = String(decoding: version.dropFirst(), as: UTF8.self)
    let prefix = "versionId="
    let id = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    self.version = id.isEmpty ? nil : id
  }

  /// The bucket of such a URL; nil for other URLs.
  static func bucket(of url: String) -> String? {
    guard urlScheme(of: url) == "s3" else { return nil }
    let rest = url.utf8.dropFirst("s3://".utf8.count)
    return String(Substring(rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }))
  }

  /// Whether it may be part of a host's name or of a path.
  private static func isBucket(_ name: Substring.UTF8View) -> Bool {
    name.first != UInt8(ascii: ".") && !name.isEmpty && name.count < 256
      && name.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
          UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Where a server has it, spelt as signatures want it.
  func url(in settings: S3Settings) -> String {
    let path = PercentEncoding.encoded(bytes: key, keeping: "-._~/")
    let query = version.map { "?versionId=" + PercentEncoding.encoded($0, keeping: "-._~") } ?? ""
    return "\(settings.url(ofBucket: bucket))/\(path)\(query)"
  }
}

extension SourceSettings {
  /// The URL that transports get of a source.
  ///
  /// A source in a bucket or a folder is no URL: its name may have any characters, and stands as it
  /// is.
  func location(of source: String) -> String {
    let scheme = urlScheme(of: source)
    guard scheme == "local" || scheme == "s3" && s3 != nil else { return source }
    let separator = urls.querySeparator
    let parts =
      separator.isEmpty
      ? [source[...]]
      : source.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
    let texts = parts.map { PercentEncoding.encoded($0, keeping: "!$&'()*+,-./:;=@_~") }
    return texts.joined(separator: "?")
  }
}
