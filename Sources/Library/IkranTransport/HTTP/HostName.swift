/// The form in which a host's name is looked up.
enum HostName {
  /// Converts a name as browsers do (UTS 46): `bücher.example` is `xn--bcher-kva.example`.
  ///
  /// - Parameter host: A name without port, percent-encoded or not.
  /// - Returns: The name in ASCII; nil when it is not UTF-8, or is no name, and for names that are
  ///   not ASCII where there is no library for them, such as libidn2.
  static func converted(_ host: Substring) -> String? {
    guard let bytes = percentDecoded(host.utf8), !bytes.contains(0),
      let name = String(validating: bytes, as: UTF8.self)
    else { return nil }
    let isASCII = bytes.allSatisfy { $0 < 0x80 }
    guard let converted = isASCII ? name.lowercased() : ascii(name) else { return nil }
    return !converted.isEmpty && converted.utf8.allSatisfy(isPartOfHost) ? converted : nil
  }

  /// Whether a byte may stand in a host (URL standard, “forbidden domain code point”): full-width
  /// letters become such that would end the host.
  private static func isPartOfHost(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !"#%/:<>?@[\\]^|".utf8.contains(byte)
  }
}
