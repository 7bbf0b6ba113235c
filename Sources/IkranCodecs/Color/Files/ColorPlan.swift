import IkranPixels

/// What becomes of the colours of one file once its pixels have their target size.
struct ColorPlan: Sendable {
  /// The way to sRGB; nil where pixels stay as they are. That of inks is for rows of four samples.
  let conversion: ColorConversion?
  /// What was ignored.
  let notes: [DecodeNote]
  private let hasInks: Bool
  /// What travels with pixels that stay as they are.
  private let profile: ColorProfile?

  /// Plans for a file.
  ///
  /// Cost: see ``ColorConversion/make(_:_:workspace:)``.
  init(_ colors: FileColors, handling: ColorHandling, workspace: Workspace) {
    hasInks = colors.model == .cmyk
    guard handling != .untouched else {
      (conversion, notes, profile) = (nil, [], nil)
      return
    }
    var faults = colors.fault.map { [$0] } ?? []
    var (found, kept) = (ColorConversion?.none, ColorProfile?.none)
    for source in colors.sources {
      let (conversion, ignored) = ColorConversion.make(source, colors.model, workspace: workspace)
      found = conversion
      guard let ignored else {
        if handling == .keepProfile, colors.model == .rgb, case .icc(let bytes) = source {
          (found, kept) = (nil, ColorProfile(bytes))
        }
        break
      }
      faults.append(ignored)
    }
    (conversion, profile) = (found, kept)
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
