/// A `GdkFrameClock`, without a reference to it.
struct FrameClockHandle: Hashable {
  let pointer: OpaquePointer
}
