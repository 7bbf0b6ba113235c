import FoundationEssentials
import Glibc
import IkranPixels
import Testing

@testable import IkranCodecs

/// All profiles of a folder, against LittleCMS: those of the system, or of `IKRAN_PROFILES`.
@Suite(
  .enabled(if: ProfileFolder.isThere, "set IKRAN_PROFILES to a folder of ICC profiles"),
  .timeLimit(.minutes(5))
)
struct ProfileFolderTests {
  @Test(arguments: ProfileFolder.files)
  func theProfileConvertsAsLittleCMSDoes(_ path: String) throws {
    let profile = try [UInt8](Data(contentsOf: URL(filePath: path)))
    for model in [ColorModel.gray, .rgb, .cmyk] {
      let (conversion, ignored) = ColorConversion.make(
        .icc(profile),
        model,
        workspace: Workspace()
      )
      let name = path.split(separator: "/").suffix(2).joined(separator: "/")
      if let ignored {
        if case .wrongColors = ignored { continue }
        print("\(name), \(model): \(ignored)")
        continue
      }
      let samples = TestColors.samples(model, seed: 5)
      let pixels = TestColors.pixels(samples, model)
      let expected = try #require(LittleCMS.converted(samples, profile, model))
      let differences = ColorDifferences(conversion?.result(pixels) ?? pixels, expected)
      let untouched = model == .cmyk ? "-" : "\(ColorDifferences(pixels, expected))"
      let kind = conversion?.kind ?? "nothing"
      print("\(name) | \(model) | \(kind) | \(differences) | untouched \(untouched)")
      #expect(differences.mean <= 1 && differences.high <= 4, "\(name): \(differences)")
    }
  }
}

private enum ProfileFolder {
  static let folder = getenv("IKRAN_PROFILES").map { String(cString: $0) } ?? "/usr/share/color/icc"

  static var isThere: Bool { !files.isEmpty }

  static var files: [String] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    return names.filter { name in
      let lower = name.lowercased()
      return lower.hasSuffix(".icc") || lower.hasSuffix(".icm")
    }
    .sorted().map { "\(folder)/\($0)" }
  }
}

extension ColorConversion {
  /// How it is done.
  fileprivate var kind: String {
    switch method {
    case .curve: "a curve"
    case .matrix: "a matrix"
    case .grid: "a grid"
    case .inks: "a grid of inks"
    }
  }
}
