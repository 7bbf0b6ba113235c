import Foundation
import IkranPixels
import IkranTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What is sent to one address.
struct SessionMessage {
  /// What is sent unless a request says otherwise.
  private static let accept = HeaderField("Accept", "image/*,*/*;q=0.8")
  /// URLSession's own timeout lies this far behind ours, which counts every hop.
  private static let grace = 60.0
  /// Longer timeouts count as this one, in seconds.
  private static let longestTimeout = 1e6

  let request: URLRequest
  /// Fields that say who asks, for caches: they are compared, never sent.
  let addedFields: [HeaderField]

  /// Makes a message without a body, which a task has of its own.
  ///
  /// - Throws: ``TransportError/invalidURL(_:)`` for what `URL` does not take, and
  ///   ``TransportError/unsupported(_:)`` for fields that are not UTF-8.
  init(
    _ wanted: TransportRequest,
    at hop: HTTPHop,
    _ options: URLSessionOptions,
    within timeout: Duration
  ) throws(TransportError) {
    var request = URLRequest(url: try Self.url(of: hop.address))
    request.httpMethod = hop.method
    let networks = options.networks.forRequest(isForLowData: wanted.isForLowData)
    SessionPlatform.configure(&request, networks)
    request.timeoutInterval = min(timeout / .seconds(1), Self.longestTimeout) + Self.grace
    var fields = hop.headers
    func add(_ field: HeaderField) {
      if !fields.contains(where: { $0.isNamed(field.name) }) { fields.append(field) }
    }
    add(Self.accept)
    add(HeaderField("User-Agent", options.identity.userAgent))
    // No part can be decoded without what comes before it.
    if fields.contains(where: { $0.isNamed("range") }) {
      add(HeaderField("Accept-Encoding", "identity"))
    }
    if let authorization = options.authorization(for: hop) {
      add(HeaderField("Authorization", authorization))
    }
    for field in fields {
      let bytes = FieldText.bytes(of: field.value)
      guard let value = String(validating: bytes, as: UTF8.self) else {
        throw .unsupported("URLSession sends no field that is not UTF-8")
      }
      // `addValue` would put nothing between an empty value and the next one.
      let before = request.value(forHTTPHeaderField: field.name).map { $0 + ", " } ?? ""
      request.setValue(before + value, forHTTPHeaderField: field.name)
    }
    self.request = request
    addedFields = options.addedFields(to: hop)
  }

  /// The address in the form of Foundation, which takes fewer characters.
  private static func url(of address: HTTPAddress) throws(TransportError) -> URL {
    let text = encoded(address.urlWithoutUserInfo)
    guard let url = URL(string: text), let host = url.host, !host.isEmpty else {
      throw .invalidURL("the URL is malformed: Foundation does not take it")
    }
    guard (url.port ?? 0) <= UInt16.max else {
      throw .invalidURL("the URL is malformed: its port is no number of a port")
    }
    return url
  }
}

extension SessionMessage {
  /// A URL with what `URL` does not take behind its host percent-encoded.
  ///
  /// `URL` would encode every `%` once more because of one.
  private static func encoded(_ url: String) -> String {
    let host = url.utf8.dropFirst("https://".utf8.count)
    let slash = host.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
    let end = slash ?? url.utf8.endIndex
    var (rest, bytes) = (Array(url.utf8[end...])[...], [UInt8]())
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      let isEscape = digits.count == 2 && digits.allSatisfy { Self.hexadecimal.contains($0) }
      bytes += byte == UInt8(ascii: "%") && !isEscape ? Array("%25".utf8) : [byte]
    }
    return String(url[..<end])
      + PercentEncoding.encoded(bytes: bytes, keeping: "!#$%&'()*+,-./:;=?@_~")
  }

  private static var hexadecimal: String.UTF8View { "0123456789abcdefABCDEF".utf8 }
}

extension URLSessionOptions {
  /// The value of `Authorization` at a hop; nil when it is sent none.
  fileprivate func authorization(for hop: HTTPHop) -> String? {
    let userInfo = hop.address.userInfo
    guard userInfo.isEmpty else {
      let login = percentDecoded(userInfo.utf8) ?? Array(userInfo.utf8)
      return Self.basic(login.contains(UInt8(ascii: ":")) ? login : login + [UInt8(ascii: ":")])
    }
    return addedFields(to: hop).first.map { Self.basic(Array($0.value.utf8)) }
  }

  private static func basic(_ login: [UInt8]) -> String {
    "Basic " + Data(login).base64EncodedString()
  }

  /// The fields that a hop is sent and that say who asks, their parts in clear.
  fileprivate func addedFields(to hop: HTTPHop) -> [HeaderField] {
    hop.isSameOrigin ? identity.addedFields(for: hop.address) : []
  }
}
