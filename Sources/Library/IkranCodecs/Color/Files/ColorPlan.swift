import IkranPixels

/// What becomes of the colours of one file once its pixels have their target size.
///
/// The description of the colours is read with the file's headers and becomes a table, which the
/// thread's `Workspace` keeps (decision 67). Each decoder ends with ``finish(_:_:_:workspace:)``.
struct ColorPlan: Sendable {
  /// The way to sRGB; nil where pixels stay as they are.
  ///
  /// That of inks is for rows of four samples.
  let conversion: ColorConversion?
  /// What samples of 16 bits become when they are read; nil for their high byte, rounded.
  let levels: SampleLevels?
  /// What was ignored.
  let notes: [DecodeNote]
  /// What travels with pixels that stay as they are.
  let profile: ColorProfile?
  private let hasInks: Bool

  /// Plans for a file.
  ///
  /// Cost: see ``ColorConversion/make(_:_:workspace:)``.
  ///
  /// - Parameters:
  ///   - colors: What the file says.
  ///   - handling: What is wanted.
  ///   - workspace: Has the last conversions.
  ///   - isDeep: Whether samples have 16 bits, and ``levels`` are applied to them.
  init(
    _ colors: FileColors,
    handling: ColorHandling,
    workspace: Workspace,
    isDeep: Bool = false
  ) {
    hasInks = colors.model == .cmyk
    guard handling != .untouched else {
      (conversion, levels, notes, profile) = (nil, nil, [], nil)
      return
    }
    var faults = colors.fault.map { [$0] } ?? []
    var found: (conversion: ColorConversion?, levels: SampleLevels?) = (nil, nil)
    var kept: ColorProfile?
    for source in colors.sources {
      let ignored: ColorFault?
      if isDeep {
        (found.levels, found.conversion, ignored) =
          ColorConversion.makeDeep(source, colors.model, workspace: workspace)
      } else {
        (found.conversion, ignored) =
          ColorConversion.make(source, colors.model, workspace: workspace)
      }
      guard let ignored else {
        // The conversion was made to check the profile, which encoders write.
        if handling == .keepProfile, colors.model == .rgb, case .icc(let bytes) = source {
          (found, kept) = ((nil, nil), ColorProfile(bytes))
        }
        break
      }
      faults.append(ignored)
    }
    (conversion, levels, profile) = (found.conversion, found.levels, kept)
    notes = faults.map { .profileIgnored(reason: "\($0)") }
  }

  /// The way from four inks to sRGB, for their rows; nil for other files, and without a profile.
  var inks: ColorConversion? { hasInks ? conversion : nil }

  /// The picture as it is handed out: in its colours, and upright; `cut` says what is missing.
  func finish(
    _ stored: consuming Bitmap,
    _ orientation: Orientation,
    _ cut: DecodeNote? = nil,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    var picture = try converted(consume stored, workspace)
    picture.profile = profile
    let all = cut.map { notes + [$0] } ?? notes
    return DecodedPicture(bitmap: try picture.upright(orientation), notes: all)
  }

  /// Pixels without another reference are changed in place.
  private func converted(
    _ stored: consuming Bitmap,
    _ workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    guard let conversion, !hasInks else { return stored }
    do throws(BitmapError) {
      return try conversion.convert(consume stored, workspace: workspace)
    } catch { throw .bitmap(error) }
  }
}
