public import FoundationEssentials
public import IkranCodecs
import IkranStores

// What can be had of a source without making an image of it.

extension ImagePipeline {
  /// Reads what the header of the image at `url` says, and no more of the image than that takes.
  ///
  /// A kept file answers without the network. A download ends as soon as the header has arrived.
  ///
  /// - Throws: ``ImageError``; ``ImageError/cancelled`` at once when the task is cancelled.
  public func probe(_ url: URL) async throws(ImageError) -> ImageInfo {
    let location = url.absoluteString
    let request = ImageRequest(location: location, style: .original)
    let source = request.sourceKey(filteredBy: options.keyFilter)
    let interest = Interest(.normal)
    if let body = bodies.value(for: source) { return try info(body, request) }
    if request.isDownload, let entry = try await disk.file(for: source, interest).entry {
      return try info(entry.body, request)
    }
    return try info(try await network.beginning(of: location, codecs), request)
  }

  private func info(
    _ bytes: [UInt8],
    _ request: ImageRequest
  ) throws(ImageError) -> ImageInfo {
    do throws(DecodeError) { return try codecs.probe(bytes.span) } catch {
      throw .decode(error, url: request.displayName)
    }
  }
}

extension NetworkStage {
  /// The first bytes of a body: as many as the header of an image takes.
  ///
  /// - Throws: ``ImageError``.
  func beginning(of url: String, _ codecs: CodecList) async throws(ImageError) -> [UInt8] {
    var request = TransportRequest(
      url: url,
      connectTimeout: options.connectTimeout,
      timeout: options.timeout,
      maximumBodyBytes: bodyLimit
    )
    request.isEnough = { bytes in (try? codecs.probe(bytes.span)) != nil }
    let name = redacted(url)
    let response: TransportResponse
    do throws(TransportError) {
      response = try await transport.fetch(request) { _ in }
    } catch .cancelled {
      throw .cancelled
    } catch {
      throw .transport(error, url: name)
    }
    guard options.answers.statuses.contains(response.status) else {
      throw .status(response.status, url: name)
    }
    return response.body
  }
}
