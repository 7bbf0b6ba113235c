import IkranPixels

/// What becomes of the colours of one file once its pixels have their target size.
struct ColorPlan: Sendable {
  /// The way to sRGB; nil where pixels stay as they are. That of inks is for rows of four samples.
  let conversion: ColorConversion?
  /// What was ignored.
  let notes: [DecodeNote]
  private let hasInks: Bool

  /// Pixels stay as they are.
  static let none = ColorPlan()

  private init() { (conversion, notes, hasInks) = (nil, [], false) }

  /// Plans for a file.
  ///
  /// Cost: see ``ColorConversion/make(_:_:workspace:)``.
  init(_ colors: FileColors, handling: ColorHandling, workspace: Workspace) {
    hasInks = colors.model == .cmyk
    guard handling != .untouched else {
      (conversion, notes) = (nil, [])
      return
    }
    var faults = colors.fault.map { [$0] } ?? []
    var found: ColorConversion?
    for source in colors.sources {
      let (conversion, ignored) = ColorConversion.make(source, colors.model, workspace: workspace)
      found = conversion
      guard let ignored else { break }
      faults.append(ignored)
    }
    conversion = found
    notes = faults.map { .profileIgnored(reason: "\($0)") }
  }

  /// The way from four inks to sRGB, for their rows; nil for other files, and without a profile.
  var inks: ColorConversion? { hasInks ? conversion : nil }

  /// The picture as it is handed out: in its colours, and upright.
  func finish(
    _ stored: consuming Bitmap,
    _ orientation: Orientation,
    workspace: Workspace
  ) throws(DecodeError) -> DecodedPicture {
    var picture = stored
    if let conversion, !hasInks {
      do throws(BitmapError) {
        picture = try conversion.convert(consume picture, workspace: workspace)
      } catch { throw .bitmap(error) }
    }
    return DecodedPicture(bitmap: try picture.upright(orientation), notes: notes)
  }
}
