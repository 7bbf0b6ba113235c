@testable import IkranCodecs
@testable import IkranPixels

/// The grammar of styles and filters: what is read is printed and read again as the same.
///
/// Filters run, tables of colours and placeholders are read and drawn.
enum TextTarget {
  /// An example of each style and filter, and of the other texts.
  static var seeds: [[UInt8]] {
    let styles = [
      "original", "rect:96x48", "rounded:96x96,r=12,b=2,bc=#FFFFFF80", "circle:48.5,b=1.25",
      "fit:640x480", "fill:10x20", "circle:96+grayed+blur:4",
    ]
    let filters = FilterCatalogue.all.map { definition in
      let example = FilterCatalogue.examples[definition.name].map { ":\($0)" }
      return "\u{1}" + definition.name + (example ?? "")
    }
    let cube =
      "\u{2}TITLE \"x\"\nLUT_3D_SIZE 2\nDOMAIN_MIN 0 0 0\n# c\n"
      + (0..<8).map { "\($0 & 1) \($0 >> 1 & 1) 0.\($0)\n" }.joined()
    let hashes = ["\u{3}LEHV6nWB2yk8pyo0adR*.7kCMdnj", "\u{4}\u{1}\u{2}abcdefghijklmnopqrstuv"]
    return (styles.map { "\u{0}" + $0 } + filters + [cube] + hashes).map { Array($0.utf8) }
  }

  static func run(_ bytes: Input) -> CInt {
    guard let first = bytes.first else { return 0 }
    let rest = Array(bytes.dropFirst())
    let text = String(decoding: rest, as: UTF8.self)
    switch first % 5 {
    case 0: checkStyle(text)
    case 1: checkFilter(text)
    case 2: checkTable(rest)
    case 3: draw(.blurHash(text), rest)
    default: draw(.thumbHash(rest), rest)
    }
    return 0
  }

  private static func checkStyle(_ text: String) {
    guard let style = try? Style(parsing: text) else { return }
    guard let again = try? Style(parsing: style.key) else {
      return report("the key “\(style.key)” of “\(text)” cannot be read")
    }
    report("“\(text)” and “\(style.key)” differ", unless: again == style && again.key == style.key)
    report("hashes of “\(text)” differ", unless: again.hashValue == style.hashValue)
    let side = 300.0
    guard let fitting = try? style.fitting(scale: 1), fitting.isSmaller(than: Int(side)) else {
      return
    }
    _ = try? picture(of: text)?.styled(style)
  }

  private static func checkFilter(_ text: String) {
    guard let filter = try? Filter(parsing: text) else { return }
    guard let again = try? Filter(parsing: filter.key) else {
      return report("the key “\(filter.key)” of “\(text)” cannot be read")
    }
    report(
      "“\(text)” and “\(filter.key)” differ",
      unless: again == filter && again.key == filter.key
    )
    guard let picture = picture(of: text) else { return }
    // The size of the result is in the text.
    if filter.key.hasPrefix("resize") { return }
    guard let vectors = try? picture.filtered([filter], workspace: workspace(usesSIMD: true)),
      let none = try? picture.filtered([filter], workspace: workspace(usesSIMD: false))
    else { return }
    report("“\(text)” differs without vectors", unless: areSame(vectors, none))
  }

  private static func checkTable(_ bytes: [UInt8]) {
    guard let table = try? LookupTable(cube: bytes), let picture = picture(of: "table") else {
      return
    }
    _ = try? picture.filtered([.lookup(table)])
  }

  private static func draw(_ placeholder: Placeholder, _ bytes: [UInt8]) {
    let size = PixelSize(width: 1 + Int(bytes.first ?? 0) % 40, height: 1 + bytes.count % 40)
    guard let drawn = try? placeholder.bitmap(size: size) else { return }
    report("another size", unless: drawn.size == size)
  }

  /// A small picture; the text decides its size and its colours.
  private static func picture(of text: String) -> Bitmap? {
    var text = text
    let seed = text.withUTF8 { fnv1a($0) }
    let size = PixelSize(width: 1 + Int(seed % 37), height: 1 + Int((seed >> 8) % 29))
    return noisyPicture(size, seed)
  }
}

extension Fitting {
  fileprivate func isSmaller(than side: Int) -> Bool {
    switch self {
    case .original: true
    case .cover(let size), .inside(let size, _), .region(_, let size, _):
      size.width <= side && size.height <= side
    // No picture here is longer than 37 of its shorter sides.
    case .around(let size, _): max(size.width, size.height) <= side / 37
    }
  }
}
