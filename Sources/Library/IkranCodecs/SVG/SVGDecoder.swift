#if SVG
package import IkranPixels

/// Draws SVG with librsvg, plain or compressed with gzip, at the size that is wanted.
///
/// A document's own size is in pixels of CSS, 96 to an inch; a longer side than 4,096 of them is
/// scaled down. Nothing outside the file is opened. librsvg cannot be stopped, so a document is
/// refused when its elements, filters, layers and embedded pictures may take too long or too much
/// memory.
package struct SVGDecoder: PrefixCodec {
  /// The most bytes before a root element.
  private static let longestProlog = 65_536

  /// Creates the decoder.
  package init() {}

  /// SVG.
  package var format: ImageFormat { .svg }

  /// Whether `prefix` has SVG's root element.
  package func recognizes(_ prefix: Span<UInt8>) -> Bool { Sniffer.format(of: prefix) == .svg }

  /// Reads the root element; a document that has no size is read whole.
  ///
  /// - Throws: ``DecodeError``.
  package func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
    let text = try SVGText(bytes, atMost: Self.longestProlog, isBeginning: true)
    let document = try SVGDocument(text, rootOnly: true)
    guard document.root != nil else { throw .truncated(.svg, offset: bytes.count) }
    if let area = try SVGHandle(document.closed(text)).area(ofDrawing: nil) {
      return Self.info(area)
    }
    return Self.info(try SVGPicture(bytes).area)
  }

  /// Draws the pixels that `fitting` describes.
  ///
  /// - Throws: ``DecodeError``.
  package func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    let picture = try SVGPicture(bytes)
    let bitmap = try Self.draw(picture, fitting, limits: rules.limits, byteCount: bytes.count)
    return DecodedPicture(bitmap: bitmap)
  }

  /// A drawing is shown when it is whole.
  package func order(of prefix: Span<UInt8>) -> PixelOrder? { .unknown }

  /// Draws the elements that are there of a document that is cut off; nil for a whole one.
  package func decodePrefix(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    guard let picture = try SVGPicture(beginning: bytes) else { return nil }
    let bitmap = try Self.draw(picture, fitting, limits: rules.limits, byteCount: bytes.count)
    let height = picture.area.size.height
    return DecodedPicture(bitmap: bitmap, notes: [.cut(rows: height, height: height)])
  }

  private static func info(_ area: SVGArea) -> ImageInfo {
    var info = ImageInfo(format: .svg, size: area.size)
    info.hasAlpha = true
    return info
  }

  private static func draw(
    _ picture: borrowing SVGPicture,
    _ fitting: Fitting,
    limits: DecodeLimits,
    byteCount: Int
  ) throws(DecodeError) -> Bitmap {
    let info = Self.info(picture.area)
    let plan = try info.plan(fitting)
    try limits.check(info, byteCount: byteCount, holding: 0)
    try limits.check(plan)
    return try picture.draw(plan)
  }
}

/// A document that has been checked and parsed.
struct SVGPicture: ~Copyable {
  /// What it shows at its own size.
  let area: SVGArea
  private let handle: SVGHandle
  private let cost: SVGCost

  /// Parses a whole document.
  init(_ bytes: Span<UInt8>) throws(DecodeError) {
    let text = try SVGText(bytes)
    let document = try SVGDocument(text)
    guard !document.isCut, !text.isCut else { throw .truncated(.svg, offset: bytes.count) }
    try self.init(document, text.bytes)
  }

  /// Parses what is there of a document that is cut off; nil for a whole one, and before its
  /// first elements.
  init?(beginning bytes: Span<UInt8>) throws(DecodeError) {
    let text = try SVGText(bytes, isBeginning: true)
    let document = try SVGDocument(text)
    guard document.isCut, document.elements.count > 1 else { return nil }
    try self.init(document, document.closed(text))
  }

  private init(_ document: SVGDocument, _ text: [UInt8]) throws(DecodeError) {
    var counter = try SVGCostCounter(document)
    let cost = try counter.total()
    let handle = try SVGHandle(text)
    // The size that is wanted decides how much work drawing is.
    guard let area = try handle.area(ofDrawing: cost) else {
      throw .malformed(.svg, offset: 0, reason: "it has no size")
    }
    (self.cost, self.area) = (cost, area)
    self.handle = handle
  }

  /// Draws the part of the document that a plan of its own size describes.
  func draw(_ plan: RenderPlan) throws(DecodeError) -> Bitmap {
    // librsvg's layers have as many pixels as the whole document at this scale.
    let size = area.size
    let width = Double(size.width) / plan.crop.width * Double(plan.output.width)
    let height = Double(size.height) / plan.crop.height * Double(plan.output.height)
    try cost.check(width: width, height: height)
    return try handle.render(area, as: size, plan)
  }
}

extension SVGDocument {
  /// The text up to its last complete piece of markup, with end tags for what is open.
  func closed(_ text: SVGText) -> [UInt8] {
    open.reversed().reduce(into: Array(text.bytes[..<end])) { result, name in
      result += Array("</".utf8) + text.bytes[name] + [0x3E]
    }
  }
}
#endif
