import IkranCodecs
import IkranPixels
import TestBasics
import Testing

/// Which scans of a progressive JPEG have arrived.
@Suite struct JPEGScansTests {
  private let file: [UInt8]

  init() throws { file = try Fixtures.bytes("areas-progressive.jpg") }

  private func read(_ bytes: [UInt8], _ count: Int, _ scans: inout JPEGScans) {
    let beginning = Array(bytes.prefix(count))
    scans.read(beginning.span)
  }

  private func decoded(_ bytes: [UInt8]) throws -> Bitmap {
    try CodecList.standard.decode(bytes.span).bitmap
  }

  private func part(_ scans: JPEGScans) -> [UInt8]? { scans.file(file.span) }

  @Test func aWholeFileHasAllOfItsScansHoweverItArrived() {
    var (whole, bytewise) = (JPEGScans(), JPEGScans())
    read(file, file.count, &whole)
    for count in 0...file.count { read(file, count, &bytewise) }
    #expect(whole.isProgressive == true)
    #expect(whole.count > 3)
    #expect(whole.end == file.count - 2)
    #expect(bytewise.count == whole.count)
    #expect(bytewise.end == whole.end)
  }

  @Test func theScansThatAreWholeAreAFile() throws {
    var scans = JPEGScans()
    var pictures: [Bitmap] = []
    for count in 0...file.count {
      let before = scans.count
      read(file, count, &scans)
      guard scans.count > before else { continue }
      guard let part = part(scans) else { continue }
      pictures.append(try decoded(part))
    }
    #expect(pictures.count == scans.count)
    let last = try #require(pictures.last)
    #expect(last.hasSamePixels(as: try decoded(file)))
    #expect(!pictures[0].hasSamePixels(as: last))
  }

  @Test func otherFilesHaveNone() throws {
    for name in ["areas-420.jpg", "interlaced.gif", "icc.png"] {
      var scans = JPEGScans()
      read(try Fixtures.bytes(name), .max, &scans)
      #expect(scans.isProgressive == false, "\(name)")
      #expect(scans.count == 0)
    }
  }

  @Test func ofDamagedFilesNoScanEndsBeyondTheirBytes() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      var damaged = file
      for _ in 0..<4 {
        damaged[.random(in: 0..<damaged.count, using: &generator)] =
          .random(in: 0...255, using: &generator)
      }
      var scans = JPEGScans()
      for count in stride(from: 0, through: damaged.count, by: 9) {
        read(damaged, count, &scans)
        #expect(scans.end <= count, "seed \(seed)")
      }
    }
  }
}
