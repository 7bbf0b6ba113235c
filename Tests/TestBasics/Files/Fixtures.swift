import FoundationEssentials
import Glibc

/// The files in Tests/Fixtures.
package enum Fixtures {
  /// Where they are, found from where this source file is.
  package static let folder: String = {
    let parts: [Substring] = #filePath.split(separator: "/")
    return "/" + parts.dropLast(3).joined(separator: "/") + "/Fixtures"
  }()

  /// The bytes of the fixture called `name`.
  package static func bytes(_ name: String) throws -> [UInt8] {
    try contents(ofFile: "\(folder)/\(name)")
  }

  /// The names of all image fixtures, sorted.
  package static let names: [String] = {
    // A folder that cannot be read gives no names, and a test counts them.
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { !$0.hasSuffix(".md") }.sorted()
  }()
}

/// Why a test could not read a file: what `errno` said.
struct UnreadableFile: Error {
  let path: String
  let code: CInt
}

/// Reads a whole file; Foundation's own reading leaks when a file is empty.
func contents(ofFile path: String) throws -> [UInt8] {
  guard let file = fopen(path, "rb") else { throw UnreadableFile(path: path, code: errno) }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = fread(&block, 1, block.count, file)
    if count == 0 { return bytes }
    bytes += block[..<count]
  }
}
