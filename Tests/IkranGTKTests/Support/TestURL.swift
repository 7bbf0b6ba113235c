import FoundationEssentials
import IkranGTK
import IkranTesting
import Support

/// Addresses of images, and the images there: each of one colour, which says its number.
enum TestURL {
  /// The address of an image.
  static func face(_ number: Int) -> URL {
    var components = URLComponents()
    (components.scheme, components.host) = ("https", "example.test")
    components.path = "/\(number)"
    // It has a scheme, a host and a path.
    return components.url ?? URL(filePath: "/")
  }

  /// The number of an address.
  static func number(_ url: String) -> Int { Int(url.split(separator: "/").last ?? "") ?? 0 }

  /// The colour of an image, another one for each number below 16 million.
  static func color(_ number: Int) -> Color {
    let code = (number + 1) &* 0x9E_3779 & 0xFF_FFFF
    return Color(
      red: UInt8(code >> 16),
      green: UInt8(code >> 8 & 255),
      blue: UInt8(code & 255)
    )
  }

  /// An image as a bitmap.
  static func picture(_ number: Int, side: Int = 16) throws -> Bitmap {
    try picture(number, width: side, height: side)
  }

  /// The same in a picture of another shape.
  static func picture(_ number: Int, width: Int, height: Int) throws -> Bitmap {
    try Bitmap(color(number), size: PixelSize(width: width, height: height)).converted(to: .bgr)
  }

  /// An image as a file.
  static func file(_ number: Int, side: Int = 16) throws -> [UInt8] {
    try picture(number, side: side).encoded(as: .png)
  }

  /// A transport that has the image of every address, once a door is open.
  static func origin(_ door: Latch? = nil) -> FakeTransport {
    FakeTransport { (request, _) async throws(TransportError) in
      if let door, await !door.wait() { throw .cancelled }
      guard let file = try? file(number(request.url)) else { throw .invalidURL(request.url) }
      return TransportResponse(status: 200, headers: .fresh, body: file, url: request.url)
    }
  }
}

extension Bitmap {
  /// The colour in the middle.
  var middle: Color? { color(x: width / 2, y: height / 2) }
}

extension ImageTarget.State {
  var isShown: Bool { if case .shown = self { true } else { false } }
  var isLoaded: Bool { if case .loaded = self { true } else { false } }
  var isLoading: Bool { if case .loading = self { true } else { false } }
  var hasFailed: Bool { if case .failed = self { true } else { false } }
  var isEmpty: Bool { if case .empty = self { true } else { false } }
}

extension Style {
  /// The size of the images.
  static let small = Style.rectangle(width: 16, height: 16)
}
