import IkranCodecs
import IkranPixels
import IkranStores

// Styled images on the disk, encoded without loss: for those whose size no table has.

/// What the disk has of a styled image.
enum KeptImage: Sendable {
  case none
  case image(LoadedImage)
  /// It was made from an older file than this.
  case newerFile(Body)
}

extension ImagePipeline {
  /// The image as it was styled before, if the disk keeps such and this one is not out of date.
  ///
  /// - Throws: ``ImageError`` when the origin has to be asked and cannot be.
  func keptImage(
    _ request: ImageRequest,
    _ key: StyledKey,
    _ interest: Interest
  ) async throws(ImageError) -> KeptImage {
    guard keepsImage(of: request), request.cachePolicy != .reload, request.reads.contains(.disk),
      let answer = try await keptAnswer(of: key.source, interest).answer,
      let entry = try await disk.entry(for: name(of: key), interest),
      entry.extended == mark(of: answer)
    else { return .none }
    switch try await standing(of: request, since: key.edition, interest) {
    case .current: break
    case .outdated: return .none
    case .replaced(let body): return .newerFile(body)
    }
    let file = Body(
      bytes: entry.body,
      source: .disk,
      edition: key.edition,
      sourceKey: key.source
    )
    let decoded: DecodedImage
    do throws(ImageError) {
      decoded = try await decode(file, .original, request, interest)
    } catch .cancelled {
      throw .cancelled
    } catch {
      disk.remove(name(of: key))
      return .none
    }
    counters.record(.readFromDisk(bytes: entry.body.count))
    let image = CachedImage(decoded.image, of: decoded)
    if request.stores.contains(.memory) { images.store(image, for: key) }
    return .image(LoadedImage(image, from: .disk))
  }

  /// Keeps a styled image behind the caller, unless its file is out of date by then.
  func keepOnDisk(
    _ image: Bitmap,
    of decoded: DecodedImage,
    _ request: ImageRequest,
    _ key: StyledKey
  ) async {
    guard keepsImage(of: request), request.stores.contains(.disk), mayKeep(decoded, request),
      let answer = answers.value(for: key.source)?.answer, let mark = mark(of: answer)
    else { return }
    // The answer was read before the edition is: it belongs to this edition, or to none.
    await disk.store(mark, for: name(of: key), cost: image.byteCount) { [editions] in
      guard editions.current(of: key.source) == key.edition else { return nil }
      return try image.encoded(as: .png)
    }
  }

  private func keepsImage(of request: ImageRequest) -> Bool {
    request.isDownload && options.disk?.contents.includesImage(of: request) == true
  }

  private func name(of key: StyledKey) -> String { "styled \(key.id)" }

  /// What an image is marked with that was made from an answer's body; nil when it has no number.
  private func mark(of answer: StoredAnswer) -> [UInt8]? {
    answer.body == 0 ? nil : Array("ikran-styled 1 \(answer.body)".utf8)
  }
}
