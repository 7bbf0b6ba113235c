import FoundationEssentials
import Ikran
import Support
import Testing

/// A codec that a request chooses by its format.
@Suite(.timeLimit(.minutes(10)))
struct RequestFormatTests {
  /// A format without a signature: the first byte is the side of a black square.
  private struct SquareCodec: Codec {
    let format = ImageFormat(rawValue: "square")

    func recognizes(_ prefix: Span<UInt8>) -> Bool { false }

    func probe(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageInfo {
      guard let side = bytes.isEmpty ? nil : Int(bytes[0]) else { throw .empty }
      return ImageInfo(format: format, size: PixelSize(width: side, height: side))
    }

    func decode(
      _ bytes: Span<UInt8>,
      fitting: Fitting,
      rules: DecodeRules,
      workspace: Workspace
    ) throws(DecodeError) -> DecodedPicture {
      let size = try probe(bytes).size
      do throws(BitmapError) {
        return DecodedPicture(bitmap: try Canvas(size: size, format: .bgrx).finish())
      } catch {
        throw .bitmap(error)
      }
    }
  }

  private let request = ImageRequest(data: [9, 9], id: "square")

  private var pipeline: ImagePipeline {
    var codecs = CodecList.standard
    codecs.codecs.append(SquareCodec())
    return ImagePipeline(options: .steady, transport: FakeTransport(body: [9, 9]), codecs: codecs)
  }

  @Test(arguments: [false, true])
  func aRequestNamesTheFormatOfItsFile(isDownload: Bool) async throws {
    let url = try #require(URL(string: "http://a.test/a"))
    var request = isDownload ? ImageRequest(url) : request
    let pipeline = pipeline
    await #expect(throws: ImageError.self) { try await pipeline.image(for: request) }
    pipeline.removeAllFailures()
    request.format = ImageFormat(rawValue: "square")
    #expect(try await pipeline.image(for: request).width == 9)
    #expect(try await pipeline.probe(request).format == request.format)
  }

  @Test func anotherFormatIsAnotherSource() throws {
    var other = request
    other.format = ImageFormat(rawValue: "square")
    #expect(other.sourceKey != request.sourceKey)
  }
}
