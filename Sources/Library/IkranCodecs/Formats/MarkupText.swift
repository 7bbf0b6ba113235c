import IkranPixels

/// The beginning of an XML or HTML file: what comes before its root element, and that one's name.
struct MarkupText {
  /// The name of the root element in lower case, without its prefix; nil when it is not reached.
  private(set) var root: String?
  /// The name in the document type declaration in lower case; nil without one.
  private(set) var documentType: String?
  /// Whether it has an XML declaration or another processing instruction.
  private(set) var hasInstruction = false

  /// Reads it; nil for bytes that do not begin with `<`, in UTF-8 or UTF-16.
  init?(_ prefix: Span<UInt8>) {
    guard let text = Self.text(prefix) else { return nil }
    var offset = 0
    while offset < text.count {
      let rest = text.span.extracting(offset..<text.count)
      if rest.has("<?", at: 0) {
        hasInstruction = true
        guard let end = Self.end(of: "?>", in: text, from: offset + 2) else { return }
        offset = end
      } else if rest.has("<!--", at: 0) {
        guard let end = Self.end(of: "-->", in: text, from: offset + 4) else { return }
        offset = end
      } else if rest.has("<!doctype", at: 0, ignoringCase: true) {
        documentType = Self.name(in: text, from: Self.afterSpace(text, offset + 9))
        guard let end = Self.endOfDeclaration(text, from: offset + 9) else { return }
        offset = end
      } else if rest.has("<", at: 0) {
        root = Self.name(in: text, from: offset + 1)
        return
      } else {
        return
      }
      offset = Self.afterSpace(text, offset)
    }
  }

  /// Whether its root is SVG's.
  var isSVG: Bool { root.map { $0 == "svg" } ?? (documentType == "svg") }

  /// What it is, as a phrase; nil when that is not clear.
  var name: String? {
    let pages = ["html", "head", "body", "title", "script"]
    if documentType == "html" || root.map(pages.contains) == true { return "an HTML page" }
    return hasInstruction || documentType != nil ? "an XML document" : nil
  }

  // MARK: - Reading

  /// The bytes from the first `<` on, those of UTF-16 as far as they are ASCII.
  private static func text(_ prefix: Span<UInt8>) -> [UInt8]? {
    var (start, step, low) = (0, 1, 0)
    if prefix.has([0xEF, 0xBB, 0xBF], at: 0) {
      start = 3
    } else if prefix.has([0xFF, 0xFE], at: 0) {
      (start, step) = (2, 2)
    } else if prefix.has([0xFE, 0xFF], at: 0) {
      (start, step, low) = (2, 2, 1)
    } else if prefix.has([0x3C, 0], at: 0) {
      step = 2
    } else if prefix.has([0, 0x3C], at: 0) {
      (step, low) = (2, 1)
    }
    func character(_ offset: Int) -> UInt8? {
      guard offset + step <= prefix.count else { return nil }
      return step == 2 && prefix[offset + 1 - low] != 0 ? 0x80 : prefix[offset + low]
    }
    while let space = character(start), isSpace(space) { start += step }
    guard character(start) == 0x3C else { return nil }
    return stride(from: start, to: prefix.count, by: step).compactMap(character)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func afterSpace(_ text: [UInt8], _ offset: Int) -> Int {
    var offset = offset
    while offset < text.count, isSpace(text[offset]) { offset += 1 }
    return offset
  }

  /// Where a piece of text ends that is at an offset or later.
  private static func end(of piece: String, in text: [UInt8], from offset: Int) -> Int? {
    let length = piece.utf8.count
    var position = offset
    while position + length <= text.count {
      if text.span.has(piece, at: position) { return position + length }
      position += 1
    }
    return nil
  }

  /// Where a document type declaration ends, whose internal part and literals may have a `>`.
  private static func endOfDeclaration(_ text: [UInt8], from offset: Int) -> Int? {
    var (position, isInternal) = (offset, false)
    while position < text.count {
      switch text[position] {
      case 0x22, 0x27:
        let quote = text[position] == 0x22 ? "\"" : "'"
        guard let next = end(of: quote, in: text, from: position + 1) else { return nil }
        position = next
        continue
      case 0x3C where text.span.has("<!--", at: position):
        guard let next = end(of: "-->", in: text, from: position + 4) else { return nil }
        position = next
        continue
      case 0x5B: isInternal = true
      case 0x5D: isInternal = false
      case 0x3E where !isInternal: return position + 1
      default: break
      }
      position += 1
    }
    return nil
  }

  /// The local part of a name, of at most 64 letters; nil when it ends with the text.
  private static func name(in text: [UInt8], from offset: Int) -> String? {
    guard offset < text.count else { return nil }
    let letters = text[offset..<min(text.count, offset + 64)]
    let name = letters.prefix { !isSpace($0) && $0 != 0x3E && $0 != 0x2F && $0 != 0x5B }
    guard name.endIndex < text.count else { return nil }
    let local = name.split(separator: 0x3A, omittingEmptySubsequences: false).last ?? name
    return String(decoding: local, as: UTF8.self).lowercased()
  }
}
