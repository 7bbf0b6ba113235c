import Foundation
import Testing

@testable import IkranCodecs

/// The table of the article *Formats*, against the codecs of this build.
struct FormatsArticleTests {
  private struct Row {
    let format: String
    let trait: String
    let isWritten: Bool
  }

  private func rows() throws -> [Row] {
    let article = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/Library/Ikran/Ikran.docc/Formats.md").standardizedFileURL
    let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
    return lines.filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
      }
      return Row(format: cells[1], trait: cells[2], isWritten: cells[5] == "yes")
    }
  }

  @Test func everyFormatThatIsDecodedIsInTheTableOnce() throws {
    let rows = try rows()
    let traits = ["AVIF", "HEIC", "JXL", "SVG", "TIFF"]
    #expect(Set(rows.map(\.trait)).isSubset(of: Set(traits + [""])))
    let left = ImageFormat.leftOut.map(\.rawValue)
    #expect(
      rows.map(\.format).filter { !left.contains($0) }.sorted()
        == ImageFormat.decodable.map(\.rawValue).sorted()
    )
  }

  @Test func everyFormatThatIsWrittenIsMarked() throws {
    let encodings: [ImageEncoding] = [
      .png, .jpeg(), .webp(), .webpLossless, .gif, .avif(), .jpegXL(),
    ]
    let written = Set(encodings.map(\.format.rawValue))
    #expect(try Set(rows().filter(\.isWritten).map(\.format)) == written)
  }
}
