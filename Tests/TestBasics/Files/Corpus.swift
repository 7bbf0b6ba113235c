import FoundationEssentials

/// A large collection of images outside the repository.
///
/// The variable `IKRAN_CORPUS` names its folder, which holds MANIFEST.tsv. Tests that need it are
/// skipped without it.
package enum Corpus {
  /// One file and what its manifest says.
  package struct File: Sendable, CustomStringConvertible {
    /// Below the corpus folder.
    package let path: String
    /// By content; `apng` is PNG with an animation.
    package let format: String
    /// As stored; nil when unknown.
    package let width: Int?
    package let height: Int?
    /// nil when unknown.
    package let frames: Int?
    /// `valid`, `corrupt`, `truncated`, `fuzz` or `bomb`, then traits.
    package let kinds: Set<String>
    /// `decodes`, `must-fail` or `either`.
    package let expected: String
    /// Of its bytes, in hexadecimal digits.
    package let sha256: String

    package var description: String { path }

    package func bytes() throws -> [UInt8] { try Corpus.bytes(path) }
  }

  /// The corpus folder, nil when the variable is not set.
  package static let folder = ProcessInfo.processInfo.environment["IKRAN_CORPUS"]

  package static var isAvailable: Bool { !files.isEmpty }

  /// Every file of the manifest.
  package static let files: [File] = {
    // No corpus: the tests say that they are skipped.
    guard let text = try? bytes("MANIFEST.tsv") else { return [] }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").dropFirst()
      .compactMap { parse($0.split(separator: "\t", omittingEmptySubsequences: false)) }
  }()

  /// The files of one format, by content.
  package static func files(format: String) -> [File] { files.filter { $0.format == format } }

  package static func bytes(_ path: String) throws -> [UInt8] {
    try contents(ofFile: "\(folder ?? "")/\(path)")
  }

  private static func parse(_ fields: [Substring]) -> File? {
    guard fields.count >= 11 else { return nil }
    return File(
      path: String(fields[0]),
      format: String(fields[1]),
      width: Int(fields[2]),
      height: Int(fields[3]),
      frames: Int(fields[4]),
      kinds: Set(fields[5].split(separator: ",").map(String.init)),
      expected: String(fields[8]),
      sha256: String(fields[10])
    )
  }
}
