#if CLibraries
extension SchemeTransport {
  /// Creates a transport that fetches `http:` and `https:` URLs with libcurl.
  ///
  /// - Parameters:
  ///   - file: For `file:`; nil refuses such URLs.
  ///   - data: For `data:`.
  public init(
    file: (any Transport)? = FileTransport(),
    data: any Transport = DataTransport()
  ) {
    self.init(network: CurlTransport(), file: file, data: data)
  }
}

extension Transport where Self == SchemeTransport {
  /// A transport for URLs that strangers wrote, such as those of a chat, a feed or a form.
  ///
  /// It connects to addresses of the public internet only, with every redirect as well, as
  /// ``AddressPolicy/publicOnly`` has it, and reads no local files. `data:` URLs bring their bytes
  /// themselves and are decoded.
  ///
  /// - Parameter options: The other network options. The environment's proxy is not used; a proxy
  ///   named here has to check addresses itself.
  /// - Returns: The transport. Give its pipeline a disk cache of its own: from a shared one it
  ///   would show files that a trusted pipeline fetched.
  public static func untrustedURLs(_ options: CurlOptions = CurlOptions()) -> SchemeTransport {
    var options = options
    options.destinations.addresses = .publicOnly
    return SchemeTransport(network: CurlTransport(options), file: nil)
  }
}
#endif
