/// Searches XML for elements and attributes by their names, in one pass each.
extension [UInt8] {
  /// The first element of a name that begins at an offset or later, and its content.
  ///
  /// Elements of one name inside each other are not told apart: the first end counts. An element
  /// without content and one whose end is missing are none.
  func element(_ name: String, from offset: Int) -> (range: Range<Int>, body: Range<Int>)? {
    var offset = offset
    while let start = position(of: "<" + name, from: offset) {
      offset = start + name.utf8.count + 1
      // Another name may begin with this one.
      guard offset < count, [0x20, 0x09, 0x0A, 0x0D, 0x3E].contains(self[offset]) else { continue }
      guard let bodyStart = position(of: ">", from: offset) else { return nil }
      if self[bodyStart - 1] == 0x2F {
        offset = bodyStart
        continue
      }
      let end = "</" + name + ">"
      guard let bodyEnd = position(of: end, from: bodyStart + 1) else { return nil }
      return (start..<bodyEnd + end.utf8.count, bodyStart + 1..<bodyEnd)
    }
    return nil
  }

  /// The text without all elements of a name, in one pass: a packet can have half a million.
  func removing(elements name: String) -> [UInt8] {
    var (kept, offset) = ([UInt8](), 0)
    while let (range, _) = element(name, from: offset) {
      kept += self[offset..<range.lowerBound]
      offset = range.upperBound
    }
    return offset == 0 ? self : kept + self[offset...]
  }

  /// Where the value of the first attribute of a name is, without its quotes.
  func attribute(_ name: String) -> Range<Int>? {
    var offset = 0
    while let start = position(of: name + "=", from: offset) {
      offset = start + name.utf8.count + 1
      guard start > 0, self[start - 1] <= 0x20, offset < count else { continue }
      let quote = self[offset]
      guard quote == 0x22 || quote == 0x27 else { continue }
      guard let end = self[(offset + 1)...].firstIndex(of: quote) else { return nil }
      return offset + 1..<end
    }
    return nil
  }

  /// Where a piece of text begins that is at an offset or later.
  func position(of piece: String, from offset: Int) -> Int? {
    let (pattern, last) = (Array(piece.utf8), count - piece.utf8.count)
    guard let first = pattern.first, offset <= last else { return nil }
    for start in offset...last where self[start] == first {
      if self[start..<start + pattern.count].elementsEqual(pattern) { return start }
    }
    return nil
  }
}
