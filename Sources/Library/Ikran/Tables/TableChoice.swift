import IkranPixels
import IkranStores

/// Names one of a pipeline's tables: the size of its images and whether they have alpha.
struct TableKey: Hashable, Sendable {
  let size: PixelSize
  let hasAlpha: Bool
}

/// Which table holds an image: the rules, with no file in them.
struct TableChoice: Sendable {
  private let options: TableOptions
  /// The caller's formats, each name once.
  private let formats: [TableFormat]

  init(_ options: TableOptions) {
    self.options = options
    var names: Set<String> = []
    formats = options.formats.filter { names.insert($0.name).inserted }
  }

  /// The table for images of a size, with alpha or without; nil when there is none.
  func key(_ size: PixelSize, hasAlpha: Bool) -> TableKey? {
    let key = TableKey(size: size, hasAlpha: hasAlpha)
    // A caller's BGRA table takes images without alpha too, if nothing better has their size.
    guard !hasAlpha, let own = ownFormat(for: size), own.pixels.hasAlpha else {
      return fits(key) ? key : nil
    }
    return TableKey(size: size, hasAlpha: true)
  }

  /// The format of a table.
  func format(of key: TableKey) -> TableFormat {
    if let own = formats.first(where: { $0.key == key }) { return own }
    let pixels = key.hasAlpha ? PixelFormat.bgra : options.opaquePixels == .bgrx ? .bgrx : .bgr
    return TableFormat(
      name(key.size, pixels),
      size: key.size,
      pixels: pixels,
      maximumCount: options.maximumCount
    )
  }

  /// The caller's format for opaque images of a size.
  private func ownFormat(for size: PixelSize) -> TableFormat? {
    formats.first { $0.size == size && !$0.pixels.hasAlpha } ?? formats.first { $0.size == size }
  }

  /// Whether a table made on demand may be made: small enough, and under a name that no other has.
  private func fits(_ key: TableKey) -> Bool {
    if formats.contains(where: { $0.key == key }) { return true }
    let made = format(of: key)
    guard let row = made.pixels.bytesPerRow(width: key.size.width) else { return false }
    let (bytes, overflow) = row.multipliedReportingOverflow(by: key.size.height)
    return !overflow && bytes <= options.byteLimit / 32
      && !formats.contains { $0.name == made.name }
  }

  private func name(_ size: PixelSize, _ pixels: PixelFormat) -> String {
    let pixels =
      switch pixels {
      case .bgra: "bgra"
      case .bgrx: "bgrx"
      case .bgr: "bgr"
      case .bgr555: "bgr555"
      case .gray: "gray"
      }
    return "\(size.width)x\(size.height)-\(pixels)"
  }
}

extension TableFormat {
  fileprivate var key: TableKey { TableKey(size: size, hasAlpha: pixels.hasAlpha) }
}
