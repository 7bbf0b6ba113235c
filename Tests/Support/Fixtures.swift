package import FoundationEssentials

/// The files in Tests/Fixtures.
package enum Fixtures {
  /// Where they are, found from where this source file is.
  package static let folder: URL = URL(filePath: #filePath)
    .deletingLastPathComponent()
    .deletingLastPathComponent()
    .appending(path: "Fixtures", directoryHint: .isDirectory)

  /// The bytes of the fixture called `name`.
  package static func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: folder.appending(path: name)))
  }

  /// The names of all image fixtures, sorted.
  package static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
    // A folder that cannot be read gives no names, and a test counts them.
    return files.filter { !$0.hasSuffix(".md") }.sorted()
  }()
}
