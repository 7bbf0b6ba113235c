import IkranCodecs
import IkranPixels
import IkranPlayback

// Making pixels: on the decode pool's threads.

extension PipelineContext {
  /// Decodes a body to the pixels that a style needs.
  ///
  /// A cache's copy has to be whole, and so has the file where a request needs that.
  func decode(
    _ body: Body,
    fitting: Fitting,
    for request: ImageRequest?,
    needsWholeFile: Bool = false,
    workspace: Workspace
  ) throws(ImageError) -> DecodedImage {
    do throws(DecodeError) {
      return try counters.measure { () throws(DecodeError) in
        try pixels(
          of: body,
          fitting: fitting,
          for: request,
          needsWhole: body.mustBeWhole || needsWholeFile,
          workspace: workspace
        )
      } as: {
        .decoded(bytes: body.bytes.count, duration: $0)
      }
    } catch {
      let context = ErrorContext(body.arrival?.transfer.response)
      throw .decode(error, url: request?.displayName ?? "", context)
    }
  }

  private func pixels(
    of body: Body,
    fitting: Fitting,
    for request: ImageRequest?,
    needsWhole: Bool,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedImage {
    let (bytes, format) = (body.bytes.span, request?.format)
    var rules = decodeRules(for: request?.ownDecoding)
    let info =
      rules.page == 0
      ? try codecs.probe(bytes, as: format, until: workspace.cancellation)
      : try codecs.probe(bytes, as: format, page: rules.page)
    if body.prefix != nil {
      return try picture(of: body, fitting: fitting, info, rules, workspace: workspace)
    }
    let movie = info.isAnimated ? frames(of: body, for: request, rules, workspace) : nil
    let missing = movie.flatMap { DecodeNote($0.info) }
    if missing?.isOfCutFile == true, needsWhole {
      throw DecodeError.truncated(info.format, offset: bytes.count)
    }
    let animated = movie.flatMap { $0.info.frames.count > 1 ? $0 : nil }
    if needsWhole { rules.acceptsCutFiles = false }
    let first = info.format == .png ? animated : nil
    let picture =
      if let first {
        try firstPicture(of: first, fitting: fitting, workspace: workspace)
      } else {
        try codecs.decode(
          bytes,
          as: format,
          fitting: fitting,
          rules: rules,
          workspace: workspace
        )
      }
    return DecodedImage(
      image: picture.bitmap,
      notes: picture.notes + (missing.map { [$0] } ?? []),
      frames: missing.flatMap { _ in movie?.info.frames.count } ?? shownFrames(info),
      animated: animated,
      encodedBytes: body.bytes.count,
      source: body.source,
      file: DecodedFile(info, fitting)
    )
  }

  /// The pictures that are shown one after the other: the first one alone of a file's pages.
  private func shownFrames(_ info: ImageInfo) -> Int { info.isAnimated ? info.frames : 1 }

  /// The pipeline's rules, and in their place those of a request.
  func decodeRules(for own: OwnDecoding?) -> DecodeRules {
    let rules = options.decoding.rules
    return own?.options.changing(rules) ?? rules
  }

  /// Decodes the beginning of a file.
  private func picture(
    of body: Body,
    fitting: Fitting,
    _ info: ImageInfo,
    _ rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedImage {
    let picture = try JPEGPrefix.decode(
      body.bytes.span,
      fitting: fitting,
      rules: rules,
      workspace: workspace
    )
    // A damaged scan: the whole file shows what can be made of it.
    guard let picture else { throw .truncated(info.format, offset: body.bytes.count) }
    return DecodedImage(
      image: picture.bitmap,
      notes: picture.notes,
      frames: info.frames,
      animated: nil,
      encodedBytes: body.prefix?.total ?? body.bytes.count,
      source: body.source,
      file: DecodedFile(info, fitting)
    )
  }

  /// The first frame of an animated PNG, which may hide its picture behind the frames.
  private func firstPicture(
    of frames: any FrameSource,
    fitting: Fitting,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    let first = frames.makeComposer()
    let image = try first.compose(0, from: nil, fitting: fitting, workspace: workspace)
    return DecodedPicture(bitmap: image, notes: first.notes)
  }

  /// The frames of a file that has several; only one when it breaks off in its second one.
  private func frames(
    of body: Body,
    for request: ImageRequest?,
    _ rules: DecodeRules,
    _ workspace: Workspace
  ) -> (any FrameSource)? {
    guard options.decoding.animates, request?.ownDecoding?.options.animates != false else {
      return nil
    }
    return try? codecs.frames(
      of: body.bytes,
      as: request?.format,
      rules: rules,
      until: workspace.cancellation
    )
  }

  /// Applies a style's filters and draws its edges; a style without both leaves the pixels as they
  /// are.
  ///
  /// `shown` is the animation that requests have seen while the file arrived.
  func styled(
    _ decoded: DecodedImage,
    as key: StyledKey,
    workspace: Workspace,
    body: BodyID? = nil,
    shown: Animation? = nil
  ) throws(ImageError) -> CachedImage {
    do throws(StyleError) {
      var animation = shown
      if animation == nil, let source = decoded.animated {
        animation = try Animation(source, style: key.animationStyle, scale: key.scale)
      }
      let style = animation == nil ? key.style : key.animationStyle
      guard style.hasFiltersOrEdges else {
        counters.count(.styled(duration: .zero))
        return CachedImage(decoded.image, of: decoded, animation, body: body)
      }
      let image = try counters.measure { () throws(StyleError) in
        try style.applyFiltersAndEdges(decoded.image, scale: key.scale, workspace: workspace)
      } as: {
        .styled(duration: $0)
      }
      return CachedImage(image, of: decoded, animation, body: body)
    } catch {
      throw .style(error)
    }
  }
}
