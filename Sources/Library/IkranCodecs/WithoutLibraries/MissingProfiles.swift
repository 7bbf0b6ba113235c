#if !CLibraries
/// A profile that LittleCMS would read, and this build cannot: the picture is shown as if it were in
/// sRGB, and says so.
struct ColorProfileHandle: ~Copyable {
  /// A channel that has a curve.
  enum Channel { case red, green, blue, gray }

  /// Why ``init(icc:)`` makes none.
  static let refusal = ColorFault.unreadable

  init?(icc bytes: [UInt8]) { return nil }

  init?(linear colors: Chromaticities) { return nil }

  func columns() -> [Double]? { nil }

  func curve(_ channel: Channel, of values: [Float]) -> [Float]? { nil }

  func colors(of samples: [Float], _ model: ColorModel) -> [Float]? { nil }
}
#endif
