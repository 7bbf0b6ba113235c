import IkranPOSIX
package import IkranPixels

// Decision 83: names of files are bytes.
/// Paths as text: a file's name is bytes, which need not be UTF-8.
///
/// A byte that belongs to no UTF-8 is the private-use character U+10FE00 plus that byte, so that
/// every name has its text and every such text its name. The four bytes of these characters
/// themselves are not taken for UTF-8. What a call of the system gets is ``withPath(_:)``.
extension String {
  private static let strayBytes: ClosedRange<UInt32> = 0x10_FE80...0x10_FEFF

  /// The text of a path's bytes.
  package init(path bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    if let text = String(validating: bytes, as: UTF8.self), !text.hasStrayBytes {
      self = text
      return
    }
    var scalars = UnicodeScalarView()
    var rest = bytes[...]
    while let first = rest.first {
      let length = String.validLength(of: rest)
      if length > 0 {
        scalars.append(
          contentsOf: String(decoding: rest.prefix(length), as: UTF8.self).unicodeScalars
        )
      } else {
        scalars.append(String.stray(first))
      }
      rest = rest.dropFirst(Swift.max(1, length))
    }
    self = String(scalars)
  }

  /// The text of a path in C.
  package init(path: UnsafePointer<CChar>) {
    self.init(path: UnsafeRawBufferPointer(start: path, count: strlen(path)))
  }

  /// The bytes of a path.
  package var pathBytes: [UInt8] {
    guard hasStrayBytes else { return Array(utf8) }
    var bytes: [UInt8] = []
    for scalar in unicodeScalars {
      if Self.strayBytes.contains(scalar.value) {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
    return bytes
  }

  /// Runs `body` with the path for a call of the system; `errno` stays as `body` leaves it.
  ///
  /// Cost: one pass over the bytes; no allocation for a name that is UTF-8.
  package func withPath<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
    guard hasStrayBytes else { return withCString(body) }
    return (pathBytes + [0]).withUnsafeBytes { bytes in
      guard let start = bytes.bindMemory(to: CChar.self).baseAddress else {
        return withCString(body)
      }
      return body(start)
    }
  }

  /// The path to be read by people: with U+FFFD in place of bytes that are no UTF-8.
  package var displayedPath: String {
    guard hasStrayBytes else { return self }
    return String(
      UnicodeScalarView(unicodeScalars.map { Self.strayBytes.contains($0.value) ? "\u{FFFD}" : $0 })
    )
  }

  /// Whether a character stands for a byte; its UTF-8 begins with 0xF4, as that of few others.
  private var hasStrayBytes: Bool {
    utf8.contains(0xF4) && unicodeScalars.contains { Self.strayBytes.contains($0.value) }
  }

  private static func stray(_ byte: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(strayBytes.lowerBound - 0x80 + UInt32(byte)) ?? "\u{FFFD}"
  }

  /// How many bytes the first character takes, 1 to 4; 0 where none that may stand for itself is.
  private static func validLength(of bytes: ArraySlice<UInt8>) -> Int {
    for length in 1...Swift.min(4, bytes.count) {
      let text = String(validating: bytes.prefix(length), as: UTF8.self)
      if let text { return text.hasStrayBytes ? 0 : length }
    }
    return 0
  }
}

extension PercentEncoding {
  /// Encodes a path for a URL: all bytes but the unreserved ones (RFC 3986, section 2.3) and the
  /// slash.
  package static func path(_ path: String) -> String {
    encoded(bytes: path.pathBytes, keeping: "-._~/")
  }
}

extension Files {
  /// An environment variable that names files; nil when it is not set.
  package static func variable(_ name: String) -> String? { getenv(name).map { String(path: $0) } }
}

extension CommandLine {
  /// The arguments after the program's name; a name of a file among them keeps its bytes.
  package static var words: [String] {
    UnsafeBufferPointer(start: unsafeArgv, count: Int(argc)).dropFirst().compactMap {
      $0.map { String(path: $0) }
    }
  }
}
