/// What a file says of its colours, in the order of precedence of its format.
struct FileColors: Sendable {
  /// The first that can be used counts; none stands for sRGB.
  var sources: [ColorSource] = []
  /// Why a profile could not even be read, which would have come before ``sources``.
  var fault: ColorFault?
  /// What its samples are.
  var model = ColorModel.rgb
}
