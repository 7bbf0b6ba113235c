import Foundation
import Ikran
import IkranPlayback
import IkranViews

/// Pictures of one colour each, and a pipeline that has them in memory.
enum Pictures {
  static let style = Style.rectangle(width: 16, height: 16)

  static func color(_ number: Int) -> Color {
    Color(red: UInt8(number * 40 % 256), green: UInt8(255 - number), blue: 90)
  }

  static func bitmap(_ number: Int) throws -> Bitmap {
    try Placeholder.color(color(number)).bitmap(size: PixelSize(width: 16, height: 16))
  }

  /// A picture that fades into the next one, in several frames.
  static func animation(_ number: Int) throws -> Animation {
    try Animation(
      from: try bitmap(number),
      to: try bitmap(number + 1),
      transition: .fade(.milliseconds(100))
    )
  }

  static func url(_ number: Int) throws -> URL {
    guard let url = URL(string: "https://example.test/\(number)") else {
      throw ImageError.invalidRequest("no URL")
    }
    return url
  }

  static func request(_ number: Int) throws -> ImageRequest {
    var request = ImageRequest(try url(number), style: style)
    request.scale = 1
    return request
  }

  /// A pipeline that has the pictures of these numbers in memory.
  static func pipeline(with numbers: Range<Int>) throws -> ImagePipeline {
    let pipeline = ImagePipeline(options: PipelineOptions(disk: nil, tables: nil))
    for number in numbers { pipeline.store(try bitmap(number), for: try request(number)) }
    return pipeline
  }

  /// A pipeline that has a picture in a table alone, whose files can be read while the device is
  /// unlocked.
  static func pipeline(withTableOf number: Int) async throws -> ImagePipeline {
    let folder = NSTemporaryDirectory() + "ikran-\(UInt64.random(in: 0 ... .max))"
    var disk = DiskOptions(directory: folder)
    disk.protection = .complete
    let pipeline = ImagePipeline(options: PipelineOptions(disk: disk, tables: TableOptions()))
    pipeline.store(try bitmap(number), for: try request(number))
    await pipeline.finishWriting()
    pipeline.trimMemory(toBytes: 0)
    return pipeline
  }

  /// Whether two colours are as near as a lossy file leaves them.
  static func isNear(_ one: Color?, _ other: Color) -> Bool {
    guard let one else { return false }
    let pairs = [(one.red, other.red), (one.green, other.green), (one.blue, other.blue)]
    return pairs.allSatisfy { abs(Int($0) - Int($1)) <= 6 }
  }
}
