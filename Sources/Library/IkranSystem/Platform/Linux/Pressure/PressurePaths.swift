#if canImport(Glibc)
/// The files in which Linux reports memory pressure.
package struct PressurePaths: Sendable {
  /// A file of pressure stall information; nil for none.
  package var stall: String?
  /// The folder of a control group (version 2); nil for none.
  package var group: String?
  /// A file with the machine's memory in kilobytes; nil for none.
  package var memory: String?

  package init(stall: String?, group: String?, memory: String? = nil) {
    self.stall = stall
    self.group = group
    self.memory = memory
  }

  /// The paths for this process.
  package static var standard: PressurePaths {
    PressurePaths(
      stall: "/proc/pressure/memory",
      group: ControlGroup.folders().first,
      memory: "/proc/meminfo"
    )
  }
}
#endif
