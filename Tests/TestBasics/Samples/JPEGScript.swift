import CTurboJPEG

/// The order in which a progressive file brings its coefficients.
package enum JPEGScript: String, Sendable, CaseIterable {
  /// libjpeg's: luma's AC is refined twice, chroma's once.
  case standard
  /// All AC of a component in two bands, nothing refined.
  case bands
  /// A scan of DC per component, and every band refined on its own, three times.
  case deep
  /// Chroma after luma; bands that are refined together.
  case late
  /// Not progressive: all coefficients of a component in one scan each.
  case separate

  /// The progressive ones.
  package static let allCases: [JPEGScript] = [.standard, .bands, .deep, .late]

  /// One scan: components, coefficients, and the bits before and after.
  private typealias Scan = (components: [Int32], first: Int32, last: Int32, high: Int32, low: Int32)

  private func scans(of all: [Int32]) -> [Scan] {
    let one = all.map { [$0] }
    switch self {
    case .standard: return []
    case .bands: return [(all, 0, 0, 0, 0)] + Self.bands(one, [(1, 8), (9, 63)], 0, 0)
    case .deep:
      let bands: [(Int32, Int32)] = [(1, 2), (3, 20), (21, 63)]
      var scans = one.map { ($0, 0, 0, 0, 2) as Scan } + Self.bands(one, bands, 0, 3)
      for low in [2, 1, 0] as [Int32] { scans += Self.bands(one, bands, low + 1, low) }
      for low in [1, 0] as [Int32] { scans += Self.bands(one, [(0, 0)], low + 1, low) }
      return scans
    case .separate: return one.map { ($0, 0, 63, 0, 0) }
    case .late:
      var scans = one.map { ($0, 0, 0, 0, 1) as Scan } + [(all, 0, 0, 1, 0)]
      scans += Self.bands(one, [(1, 5), (6, 63)], 0, 2)
      for low in [1, 0] as [Int32] { scans += Self.bands(one, [(1, 63)], low + 1, low) }
      return scans
    }
  }

  private static func bands(
    _ components: [[Int32]],
    _ bands: [(first: Int32, last: Int32)],
    _ high: Int32,
    _ low: Int32
  ) -> [Scan] {
    components.flatMap { component in
      bands.map { (component, $0.first, $0.last, high, low) }
    }
  }

  /// The scans of a picture with `count` components; none for libjpeg's own.
  func scans(_ count: Int) -> [jpeg_scan_info] {
    Self.infos(scans(of: (0..<Int32(count)).map { $0 }))
  }

  /// A scan of all coefficients for each component, which no progressive file has.
  static func wholeComponents(_ count: Int) -> [jpeg_scan_info] {
    infos((0..<Int32(count)).map { ([$0], 0, 63, 0, 0) })
  }

  private static func infos(_ scans: [Scan]) -> [jpeg_scan_info] {
    scans.map { scan in
      var info = jpeg_scan_info()
      info.comps_in_scan = Int32(scan.components.count)
      withUnsafeMutableBytes(of: &info.component_index) { bytes in
        for (index, component) in scan.components.enumerated() {
          bytes.storeBytes(of: component, toByteOffset: index * 4, as: Int32.self)
        }
      }
      (info.Ss, info.Se, info.Ah, info.Al) = (scan.first, scan.last, scan.high, scan.low)
      return info
    }
  }
}
