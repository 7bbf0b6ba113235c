#if canImport(Darwin)
// Darwin has no mark that is gone with a file's pages: a table that one process alone opens is
// looked through as after a power loss.
extension Platform {
  /// It keeps none.
  package static func mark(_ descriptor: CInt) {}

  /// It has none: false.
  package static func isMarked(_ descriptor: CInt) -> Bool { false }
}
#endif
