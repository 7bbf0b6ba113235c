import Foundation
import Ikran
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
}
