import IkranPixels

/// Decodes the frames of one file onto a canvas; one composer uses it, so it may keep memory.
protocol FramePainter: AnyObject {
  /// Draws a frame, as its layout says, over what the canvas shows.
  ///
  /// - Returns: Whether all of its pixels were there; missing ones leave what is below.
  /// - Throws: ``DecodeError``; the canvas may then show a part of the frame.
  func paint(_ frame: Int, on canvas: inout AnimationCanvas) throws(DecodeError) -> Bool

  /// What was wrong with the frames that were painted all the same.
  var notes: [DecodeNote] { get }
}

extension FramePainter {
  var notes: [DecodeNote] { [] }
}
