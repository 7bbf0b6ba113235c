#if !CLibraries
import IkranFoundation

extension HostName {
  /// A name in ASCII, as Foundation converts it in a URL; nil where it refuses it.
  static func ascii(_ name: String) -> String? { URL(string: "http://\(name)")?.host }
}
#endif
