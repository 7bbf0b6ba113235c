package import IkranHTTP

/// Why an origin could not start.
package enum ServerError: Error, Sendable, Hashable {
  /// It could not listen.
  case cannotListen(ListenError)
  /// The folder does not exist, is no folder or may not be read; the code is errno's.
  case folderUnreadable(path: String, code: CInt)
  /// The number of portraits is not in 0…1,000,000.
  case invalidPortraitCount(Int)
}

extension ServerError: CustomStringConvertible {
  /// One sentence that says what to do.
  package var description: String {
    switch self {
    case .cannotListen(let error): "\(error)"
    case .folderUnreadable(let path, let code):
      "the folder “\(path)” cannot be read (errno \(code)); name a folder that exists"
    case .invalidPortraitCount(let count):
      "\(count) portraits cannot be drawn; ask for 0 to 1,000,000"
    }
  }
}
