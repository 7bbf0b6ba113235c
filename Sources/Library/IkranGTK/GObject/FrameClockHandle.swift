/// A `GdkFrameClock`, without a reference to it.
struct FrameClockHandle {
  let pointer: OpaquePointer

  /// Another one for each clock.
  var id: Int { Int(bitPattern: pointer) }
}
