package import IkranCodecs

/// How long the frames of an animation are shown, and how often, from what ImageIO says of them.
package enum FrameTiming {
  /// The milliseconds that a frame is shown, as the file says; nil for a picture without a time.
  ///
  /// ImageIO's `DelayTime` is at least 0.1 s where the file says less than 0.05 s. The unclamped
  /// time is the file's, and ``/IkranCodecs/AnimationInfo/Frame`` has the rule of browsers for it.
  ///
  /// - Parameters:
  ///   - unclamped: Seconds; nil where ImageIO does not say.
  ///   - clamped: Seconds likewise, used where there is no unclamped time.
  /// - Returns: The nearest whole number, 0 for what is no time.
  package static func milliseconds(unclamped: Double?, clamped: Double?) -> Int? {
    guard let seconds = unclamped ?? clamped else { return nil }
    guard seconds > 0, seconds.isFinite else { return 0 }
    // A month, so that sums of them fit.
    return Int((min(seconds, 2_592_000) * 1000).rounded())
  }

  /// How often an animation plays; nil is for ever.
  ///
  /// - Parameters:
  ///   - count: What ImageIO calls the loop count, 0 for ever; nil where the file does not say.
  ///   - format: GIF plays once where it does not say, others for ever.
  /// - Returns: At least 1, or nil.
  package static func plays(_ count: Int?, _ format: ImageFormat) -> Int? {
    guard let count else { return format == .gif ? 1 : nil }
    return count > 0 ? count : nil
  }
}
