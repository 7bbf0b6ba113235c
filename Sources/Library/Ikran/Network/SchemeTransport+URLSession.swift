#if !CLibraries
public import IkranTransport
import IkranURLSession

extension SchemeTransport {
  /// Creates a transport that fetches `http:` and `https:` URLs with URLSession.
  ///
  /// - Parameters:
  ///   - file: For `file:`; nil refuses such URLs.
  ///   - data: For `data:`.
  public init(
    file: (any Transport)? = FileTransport(),
    data: any Transport = DataTransport()
  ) {
    self.init(network: URLSessionTransport(), file: file, data: data)
  }
}
#endif
