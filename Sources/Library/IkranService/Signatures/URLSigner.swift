/// Signs URLs with the first of a service's keys.
package struct URLSigner: Sendable {
  private let pair: KeySettings.Pair
  private let size: Int
  private let prefix: String

  /// Reads the keys from variables, as ``ImageService`` does.
  ///
  /// - Throws: ``SettingsError``, also where there are no keys.
  package init(
    environment: [String: String],
    contents: @escaping (String) -> [UInt8]? = { _ in nil }
  ) throws(SettingsError) {
    let settings = try ServiceSettings(environment: environment, contents: contents)
    guard let pair = settings.keys.pairs.first else {
      let expected = "hexadecimal digits; without them no URL can be signed"
      throw SettingsError(variable: "IKRAN_KEY", value: "", expected: expected)
    }
    (self.pair, size, prefix) = (pair, settings.keys.signatureSize, settings.server.pathPrefix)
  }

  /// Whether variables have keys.
  package static func hasKeys(_ environment: [String: String]) -> Bool {
    ["IKRAN_KEY", "IMGPROXY_KEY", "IKRAN_KEYPATH", "IMGPROXY_KEYPATH"].contains {
      !environment[$0, default: ""].isEmpty
    }
  }

  /// The target of a request for a path.
  ///
  /// - Parameter path: Options and a source, such as `/rs:fit:300/plain/https://example.org/a.jpg`;
  ///   the URL's own `%`, `?` and `@` as escapes.
  ///   What is not a picture begins with its endpoint: `/info/plain/https://example.org/a.jpg`.
  /// - Returns: The path with the service's prefix and the signature before it.
  package func signed(_ path: String) -> String {
    var rest = (path.hasPrefix("/") ? path.dropFirst() : path[...]).utf8
    let endpoint = Endpoint(removedFrom: &rest)
    let path = "/\(Substring(rest))"
    let message = Array((endpoint.signedBeginning + path).utf8)
    let code = SignatureHandle.code(key: pair.key, text: pair.salt + message) ?? []
    return "\(prefix)/\(endpoint.beginning)\(Base64.url.encoded(code.prefix(size)))\(path)"
  }
}
