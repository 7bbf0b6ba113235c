import FoundationEssentials
import Ikran
import IkranTesting
import Support

/// Addresses of images, and the images there: each of one colour, which says its number.
enum Face {
  static func request(_ number: Int, _ style: Style = .small) -> ImageRequest {
    var components = URLComponents()
    (components.scheme, components.host) = ("https", "example.test")
    components.path = "/\(number)"
    // It has a scheme, a host and a path.
    return ImageRequest(components.url ?? URL(filePath: "/"), style: style)
  }

  static func color(_ number: Int) -> Color {
    let code = (number + 1) &* 0x9E_3779 & 0xFF_FFFF
    return Color(red: UInt8(code >> 16), green: UInt8(code >> 8 & 255), blue: UInt8(code & 255))
  }

  static func picture(_ number: Int, side: Int = 16) throws -> Bitmap {
    try Bitmap(color(number), size: PixelSize(width: side, height: side)).converted(to: .bgr)
  }

  /// A transport that has the image of every address, of 64 × 64 pixels, once a door is open.
  static func origin(_ door: Latch? = nil) -> FakeTransport {
    FakeTransport { (request, _) async throws(TransportError) in
      if let door, await !door.wait() { throw .cancelled }
      return try response(to: request)
    }
  }

  static func response(to request: TransportRequest) throws(TransportError) -> TransportResponse {
    let number = Int(request.url.split(separator: "/").last ?? "") ?? 0
    guard let file = try? picture(number, side: 64).encoded(as: .png) else {
      throw .invalidURL(request.url)
    }
    return TransportResponse(status: 200, headers: .fresh, body: file, url: request.url)
  }
}

extension Style {
  static let small = Style.rectangle(width: 16, height: 16)
}

extension Bitmap {
  /// The colour in the middle.
  var middle: Color? { color(x: width / 2, y: height / 2) }
}
