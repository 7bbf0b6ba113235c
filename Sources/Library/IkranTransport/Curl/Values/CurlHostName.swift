import CCurl

/// The form in which a host's name is looked up.
enum CurlHostName {
  /// Converts a name as browsers do (UTS 46): `bücher.example` is `xn--bcher-kva.example`.
  ///
  /// - Parameter host: A name without port, percent-encoded or not.
  /// - Returns: The name in ASCII; nil when it is not UTF-8, or is no name, and for names that are
  ///   not ASCII where libidn2 is missing.
  static func converted(_ host: Substring) -> String? {
    guard let bytes = percentDecoded(host.utf8), !bytes.contains(0),
      let name = String(validating: bytes, as: UTF8.self)
    else { return nil }
    let ascii: String
    if bytes.allSatisfy({ $0 < 0x80 }) {
      ascii = name.lowercased()
    } else {
      guard let result = ikran_curl_ascii_host(name) else { return nil }
      defer { free(result) }
      ascii = String(cString: result)
    }
    return !ascii.isEmpty && ascii.utf8.allSatisfy(isPartOfHost) ? ascii : nil
  }

  /// Whether a byte may stand in a host (URL standard, “forbidden domain code point”): full-width
  /// letters become such that would end the host.
  private static func isPartOfHost(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !"#%/:<>?@[\\]^|".utf8.contains(byte)
  }
}
