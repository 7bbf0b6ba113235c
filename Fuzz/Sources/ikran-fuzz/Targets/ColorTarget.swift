import CFuzz
@testable import IkranCodecs
@testable import IkranPixels

/// Profiles and other descriptions of colours: used or ignored, with vectors and without.
///
/// The first byte of an input says what the others are; the rest of a profile's is the profile.
enum ColorTarget {
  static func run(_ bytes: Input) -> CInt {
    var input = InputReader(bytes)
    let kind = input.byte()
    let model = [ColorModel.rgb, .gray, .cmyk][kind % 3]
    let source: ColorSource
    switch kind / 3 % 4 {
    case 0: source = .icc(input.rest)
    case 1: source = .icc(repaired(input.rest))
    case 2:
      source = .cicp(
        primaries: UInt8(input.byte()),
        transfer: UInt8(input.byte()),
        matrix: UInt8(input.below(3)),
        isFullRange: input.byte() & 1 == 0
      )
    default:
      let gamma = kind & 64 == 0 ? number(&input) : nil
      let primaries = Chromaticities(
        white: point(&input),
        red: point(&input),
        green: point(&input),
        blue: point(&input)
      )
      source = .gammaAndPrimaries(gamma: gamma, primaries: kind & 128 == 0 ? primaries : nil)
    }
    check(source, model, fnv1a(bytes))
    return 0
  }

  /// Profiles with a matrix, a gray curve and small tables of both kinds; then plain ones.
  static var seeds: [[UInt8]] {
    let curve = word("curv") + [0, 0, 0, 0, 0, 0, 0, 1, 1, 0xCD]
    let colors = (1...3).map {
      word("XYZ ") + [0, 0, 0, 0] + axis($0 == 1) + axis($0 == 2) + axis($0 == 3)
    }
    let matrix =
      ["rXYZ", "gXYZ", "bXYZ"].enumerated().map { ($1, colors[$0]) }
      + ["rTRC", "gTRC", "bTRC"].map { ($0, curve) }
    let parametric = word("para") + [0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x33, 0x33]
    return [
      [3] + profile("RGB ", matrix), [4] + profile("GRAY", [("kTRC", parametric)]),
      [3] + profile("RGB ", [("A2B0", plainTable(3))]),
      [5] + profile("CMYK", [("A2B1", plainTable(4))]),
      [3] + profile("RGB ", [("A2B0", composedTable(parametric))]),
      [6, 9, 16, 0, 0], [6, 12, 13, 0, 1], [9] + [UInt8](repeating: 0x40, count: 80),
    ]
  }

  private static func check(_ source: ColorSource, _ model: ColorModel, _ seed: UInt32) {
    let workspace = Workspace()
    let (conversion, ignored) = ColorConversion.make(source, model, workspace: workspace)
    report("a conversion of ignored colours", unless: conversion == nil || ignored == nil)
    if seed & 15 == 0 {
      let deep = ColorConversion.makeDeep(source, model, workspace: workspace)
      report("levels of ignored colours", unless: deep.levels == nil || deep.ignored == nil)
    }
    guard let conversion else { return }
    var pixels: [UInt8] = []
    for index in 0..<67 {
      let word = (UInt64(seed) ^ UInt64(index)) &* 0x9E37_79B9_7F4A_7C15
      pixels += (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 + 8 * UInt64($0))) }
    }
    func result(_ usesSIMD: Bool) -> [UInt8] {
      var changed = pixels
      changed.withUnsafeMutableBytes { row in
        if model == .cmyk {
          conversion.convertInks(row, inverted: seed & 1 == 0, usesSIMD: usesSIMD)
        } else {
          conversion.convertRow(row, usesSIMD: usesSIMD)
        }
      }
      return changed
    }
    report("other bytes without vectors", unless: result(false) == result(workspace.usesSIMD))
  }

  /// A profile that declares as many bytes as it has.
  private static func repaired(_ profile: [UInt8]) -> [UInt8] {
    profile.count < 4 ? profile : word(profile.count) + profile[4...]
  }

  private static func number(_ input: inout InputReader) -> Double {
    Double(Int32(truncatingIfNeeded: input.word() | input.word() << 16)) / 100_000
  }

  private static func point(_ input: inout InputReader) -> Chromaticities.Point {
    Chromaticities.Point(x: number(&input), y: number(&input))
  }

  // MARK: - Seeds

  private static func word(_ name: String) -> [UInt8] { Array(name.utf8) }

  private static func word(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func axis(_ isLong: Bool) -> [UInt8] {
    isLong ? [0, 0, 0x80, 0] : [0, 0, 0x20, 0]
  }

  private static func profile(_ space: String, _ tags: [(String, [UInt8])]) -> [UInt8] {
    var (list, data) = (word(tags.count), [UInt8]())
    for (name, bytes) in tags {
      list += word(name) + word(132 + 12 * tags.count + data.count) + word(bytes.count)
      data += bytes + [UInt8](repeating: 0, count: -bytes.count & 3)
    }
    var header = [UInt8](repeating: 0, count: 128)
    header.replaceSubrange(0..<4, with: word(128 + list.count + data.count))
    header[8] = 4
    header.replaceSubrange(12..<24, with: word("mntr") + word(space) + word("XYZ "))
    header.replaceSubrange(36..<40, with: word("acsp"))
    return header + list + data
  }

  /// A `lut8Type` of two nodes.
  private static func plainTable(_ inputs: Int) -> [UInt8] {
    let line = [UInt8](UInt8.min ... .max)
    let lines = (0..<inputs).flatMap { _ in line }
    let nodes = (0..<3 << inputs).map { UInt8(truncatingIfNeeded: $0 * 37) }
    let head = word("mft1") + word(0) + [UInt8(inputs), 3, 2, 0]
    return head + [UInt8](repeating: 0, count: 36) + lines + nodes + line + line + line
  }

  /// A `lutAToBType` with all its parts.
  private static func composedTable(_ curve: [UInt8]) -> [UInt8] {
    let curves = curve + curve + curve
    let grid =
      [UInt8](repeating: 2, count: 3) + [UInt8](repeating: 0, count: 13) + [1, 0, 0, 0]
      + (0..<24).map { UInt8($0 * 10) }
    let matrix =
      axis(true) + axis(false) + axis(false) + axis(false) + axis(true) + axis(false)
      + axis(false) + axis(false) + axis(true) + word(0) + word(0) + word(0)
    let (second, third) = (32 + curves.count, 32 + curves.count + matrix.count)
    let places = [32, second, third, third + curves.count, third + curves.count + grid.count]
    return word("mAB ") + word(0) + [3, 3, 0, 0] + places.flatMap { word($0) } + curves + matrix
      + curves + grid + curves
  }
}
