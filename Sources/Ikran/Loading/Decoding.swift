import IkranCodecs
import IkranPixels

// Making pixels: on the decode pool's threads.

extension LoadStages {
  /// Decodes a body to the pixels that a style needs.
  func decode(
    _ body: Body,
    _ fitting: Fitting,
    _ request: ImageRequest?,
    _ workspace: Workspace
  ) throws(ImageError) -> DecodedImage {
    do throws(DecodeError) {
      return try counters.measure { () throws(DecodeError) in
        let bytes = body.bytes.span
        let info = try codecs.probe(bytes, as: request?.format)
        let image = try codecs.decode(
          bytes,
          as: request?.format,
          fitting: fitting,
          limits: options.decoding.limits,
          workspace: workspace
        )
        return DecodedImage(
          image: image,
          frames: info.frames,
          encodedBytes: body.bytes.count,
          source: body.source
        )
      } as: {
        .decoded(bytes: body.bytes.count, duration: $0)
      }
    } catch {
      throw .decode(error, url: request?.displayName ?? "")
    }
  }

  /// Draws a style's edges; a style without edges leaves the pixels as they are.
  func styled(
    _ decoded: DecodedImage,
    _ key: StyledKey,
    _ workspace: Workspace,
    body: BodyID? = nil
  ) throws(ImageError) -> CachedImage {
    guard key.style.needsFinish else {
      counters.record(.styled(duration: .zero))
      return CachedImage(decoded.image, of: decoded, body: body)
    }
    do throws(StyleError) {
      let image = try counters.measure { () throws(StyleError) in
        try key.style.finish(decoded.image, scale: key.scale, workspace: workspace)
      } as: {
        .styled(duration: $0)
      }
      return CachedImage(image, of: decoded, body: body)
    } catch {
      throw .style(error)
    }
  }
}
