/// What a file says of its colours, in the order of precedence of its format.
struct FileColors: Sendable {
  /// The first that can be used counts; none stands for sRGB.
  var sources: [ColorSource] = []
  /// Why a profile could not even be read, which would have come before ``sources``.
  var fault: ColorFault?
  /// What its samples are.
  var model = ColorModel.rgb

  /// Whether its light may be brighter than white: PQ and HLG by their code points.
  var isBright: Bool {
    guard case .cicp(_, let transfer, _, _)? = sources.first else { return false }
    return transfer == 16 || transfer == 18
  }
}
