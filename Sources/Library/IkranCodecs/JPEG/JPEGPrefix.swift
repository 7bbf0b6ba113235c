package import IkranPixels

/// The beginning of a progressive JPEG file: which sizes its whole scans are enough for.
///
/// Reads headers only, once; damage in the scans may still need the whole file.
package struct JPEGPrefix: Sendable {
  private let frame: JPEGHeader
  private let header: ProgressiveHeader

  /// Reads the beginning of a file; nil while no scan is whole, and for files of other kinds.
  package init?(_ bytes: Span<UInt8>) {
    // A prefix without a frame header needs more bytes.
    guard JPEGDecoder().recognizes(bytes), let frame = try? JPEGHeader(bytes),
      frame.process == 0xC2,
      let header = ProgressiveHeader(prefix: bytes),
      header.tables.size == frame.info.size
    else { return nil }
    (self.frame, self.header) = (frame, header)
  }

  /// What the header says, as of the whole file.
  package var info: ImageInfo { frame.info }

  /// How many of the first bytes are enough for the pixels that `fitting` describes; nil when more
  /// are needed than were read.
  ///
  /// Cost: microseconds.
  package func sufficientByteCount(for fitting: Fitting) -> Int? {
    // What cannot be decoded is an error of the whole file.
    guard let reduction = try? reduction(fitting) else { return nil }
    return ProgressiveDecoder.sufficientByteCount(header, reduction)
  }

  /// Decodes the beginning of a file to the pixels that `fitting` describes, upright: those of the
  /// whole file.
  ///
  /// - Returns: The pixels; nil when a scan that is needed is missing or damaged.
  /// - Throws: ``DecodeError`` for a header over the limits and a region that is not inside the
  ///   picture.
  package static func decode(
    _ bytes: Span<UInt8>,
    fitting: Fitting,
    rules: DecodeRules,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture? {
    guard let prefix = JPEGPrefix(bytes) else { return nil }
    let info = prefix.frame.info
    try rules.limits.check(info, byteCount: bytes.count, holding: 0)
    let plan = try info.plan(fitting)
    try rules.limits.check(plan)
    let picture = ProgressiveDecoder.render(
      bytes,
      prefix.frame,
      JPEGReduction(plan, prefix.frame, limits: rules.limits),
      workspace: workspace,
      isPrefix: true
    )
    guard let picture else { return nil }
    let colors = ColorPlan(prefix.frame.colors(bytes), handling: rules.colors, workspace: workspace)
    return try colors.finish(picture, info.orientation, workspace: workspace)
  }

  private func reduction(_ fitting: Fitting) throws(DecodeError) -> JPEGReduction {
    JPEGReduction(try frame.info.plan(fitting), frame)
  }
}
