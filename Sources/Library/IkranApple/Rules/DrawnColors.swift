/// What becomes of the colours of a `CGImage` that is drawn into a bitmap.
package enum DrawnColors: Sendable, Hashable, CaseIterable {
  /// They are converted to sRGB.
  case converted
  /// They stay as they are, and what the image says of them is lost.
  case untouched
  /// They stay as they are, and the profile of the image goes along.
  case withProfile
}
