#if CLibraries
import CCurl

extension HostName {
  /// A name in ASCII, by libidn2; nil where that is missing or refuses it.
  static func ascii(_ name: String) -> String? {
    guard let result = ikran_curl_ascii_host(name) else { return nil }
    defer { free(result) }
    return String(cString: result)
  }
}
#endif
