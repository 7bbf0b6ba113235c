/// What differs between the systems that Ikran runs on.
///
/// `Linux/` and `Darwin/` have the same functions, each for its own. No function falls back on an
/// error code: what a system lacks, it says.
package enum Platform {
  /// The commands of `fcntl` for locks between open files, in one process or several.
  package struct LockCommands: Sendable {
    /// Asks for a lock in the way, takes one or fails, takes one or waits.
    package let get, set, wait: CInt
  }
}
