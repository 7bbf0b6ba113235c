/// What a path asks for, by the part of it before the signature.
enum Endpoint: String, Sendable, Hashable, CaseIterable {
  /// A picture; there is nothing before the signature.
  case picture
  /// What is known of a picture, as JSON.
  case info
  /// A portrait in one of the library's styles, or what is drawn in its place.
  case avatar
  /// Where a program on this machine finds a picture's pixels, as JSON.
  case pixels

  /// Reads the endpoint at the beginning of a path without its first `/`, and removes it.
  init<Path: Collection<UInt8>>(removedFrom path: inout Path) where Path.SubSequence == Path {
    let named = Self.allCases.filter { $0 != .picture }
    self = named.first { path.starts(with: $0.beginning.utf8) } ?? .picture
    path = path.dropFirst(beginning.utf8.count)
  }

  /// What is signed of it: a picture's signature is none of an avatar or of pixels.
  ///
  /// The name of `/info` is not signed, as in imgproxy.
  var signedBeginning: String { self == .avatar || self == .pixels ? "/" + rawValue : "" }

  /// Whether its responses are JSON, whatever the source is.
  var isDescribed: Bool { self == .info || self == .pixels }

  /// What is before the signature, with a `/` at its end.
  var beginning: String { self == .picture ? "" : rawValue + "/" }
}

extension Endpoint: CustomStringConvertible {
  /// For messages: `pictures`, or the beginning of its paths.
  var description: String { self == .picture ? "pictures" : "/" + rawValue }
}
