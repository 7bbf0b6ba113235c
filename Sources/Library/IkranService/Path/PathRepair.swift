/// Undoes what browsers and proxies do to paths.
///
/// They encode the colons of options, and make one slash of the two in `https://`.
enum PathRepair {
  private static let marker = Array("plain/".utf8)

  /// A path without its signature, repaired, with one `/` at its beginning.
  static func repaired(_ rest: ArraySlice<UInt8>) -> [UInt8] {
    var path: [UInt8] = []
    path.reserveCapacity(rest.count + 4)
    path.append(UInt8(ascii: "/"))
    let start = sourceStart(in: rest)
    var options = rest[..<(start ?? rest.endIndex)]
    if options.first == UInt8(ascii: "/") { options.removeFirst() }
    append(options, to: &path)
    if let start { append(source: rest[start...], to: &path) }
    return path
  }

  /// Where the plain source begins: behind a leading `plain/` or the first `/plain/`.
  private static func sourceStart(in rest: ArraySlice<UInt8>) -> Int? {
    if rest.starts(with: marker) { return rest.startIndex + marker.count }
    var position = rest.startIndex
    while let slash = rest[position...].firstIndex(of: UInt8(ascii: "/")) {
      position = slash + 1
      if rest[position...].starts(with: marker) { return position + marker.count }
    }
    return nil
  }

  /// Appends options with `:` for each `%3A`; small letters stay, as proxies write capitals.
  private static func append(_ options: ArraySlice<UInt8>, to path: inout [UInt8]) {
    var position = options.startIndex
    while position < options.endIndex {
      let byte = options[position]
      if byte == UInt8(ascii: "%"), position + 2 < options.endIndex,
        options[position + 1] == UInt8(ascii: "3"), options[position + 2] == UInt8(ascii: "A")
      {
        path.append(UInt8(ascii: ":"))
        position += 3
      } else {
        path.append(byte)
        position += 1
      }
    }
  }

  /// Appends a source with `://` for its last `:/` that no `/` follows, and `local:///` likewise.
  ///
  /// White space ends the search, and a colon at the very beginning is none of a scheme.
  private static func append(source: ArraySlice<UInt8>, to path: inout [UInt8]) {
    guard let colon = brokenColon(in: source) else {
      path += source
      return
    }
    let scheme = source[..<colon]
    path += scheme
    path += "://".utf8
    if scheme.elementsEqual("local".utf8) { path.append(UInt8(ascii: "/")) }
    path += source[(colon + 2)...]
  }

  private static func brokenColon(in source: ArraySlice<UInt8>) -> Int? {
    var found: Int?
    var position = source.startIndex
    while position + 2 < source.endIndex, !isWhite(source[position]) {
      if position > source.startIndex, source[position] == UInt8(ascii: ":"),
        source[position + 1] == UInt8(ascii: "/"), source[position + 2] != UInt8(ascii: "/")
      {
        found = position
      }
      position += 1
    }
    return found
  }

  private static func isWhite(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
  }
}
