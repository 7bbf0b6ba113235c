extension OptionRule {
  /// The rules of an endpoint's options by each of their names.
  static func table(of endpoint: Endpoint) -> [String: OptionRule] {
    switch endpoint {
    case .picture: all
    case .info: info
    case .avatar: avatars
    case .pixels: pixels
    }
  }

  /// Whether an endpoint has an option of a name, or refuses it by that.
  static func isName(_ name: String) -> Bool {
    Endpoint.allCases.contains { table(of: $0)[name] != nil }
  }

  /// The options of `/info`.
  private static let info = table(
    [
      "thumbhash th": .flag { $0.info.hasThumbHash = $1 }
    ],
    sharing: ""
  )

  /// The options of `/avatar`.
  private static let avatars = table(
    avatar,
    sharing: """
      dpr background bg quality q format_quality fq max_bytes mb autoquality aq format f ext
      """
  )

  /// The options of `/pixels`: those of pictures that change pixels.
  private static let pixels: [String: OptionRule] = {
    let files = """
      format f ext quality q format_quality fq max_bytes mb autoquality aq strip_metadata sm
      keep_copyright kcr strip_color_profile scp enforce_thumbnail eth return_attachment att
      filename fn skip_processing skp raw max_animation_frames maf
      max_animation_frame_resolution mafr
      """
    var rules = all
    for name in files.split(whereSeparator: \.isWhitespace) { rules[String(name)] = nil }
    return rules
  }()

  /// The options of every endpoint: those of the response and of limits, and presets.
  private static let common = """
    cachebuster cb expires exp filename fn return_attachment att preset pr
    max_src_resolution msr max_src_file_size msfs max_animation_frames maf
    max_animation_frame_resolution mafr
    """

  /// Some options of an endpoint's own, and some of pictures.
  private static func table(
    _ own: [String: OptionRule],
    sharing names: String
  ) -> [String: OptionRule] {
    var rules: [String: OptionRule] = [:]
    for name in (common + " " + names).split(whereSeparator: \.isWhitespace) {
      rules[String(name)] = all[String(name)]
    }
    for (names, rule) in own {
      for name in names.split(separator: " ") { rules[String(name)] = rule }
    }
    return rules
  }
}
