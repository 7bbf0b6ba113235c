#if canImport(Darwin)
// Darwin has no mark that is gone with a file's pages.
extension Platform {
  /// Whether the system keeps a mark with a file for as long as the file's pages are in memory.
  package static let keepsInodes = false

  /// It keeps none.
  package static func mark(_ descriptor: CInt) {}

  /// It has none: false.
  package static func isMarked(_ descriptor: CInt) -> Bool { false }
}
#endif
