import Synchronization

extension Platform {
  /// What the file systems of one system can do and those of another cannot.
  ///
  /// What is missing the callers do otherwise, so each way is run on Linux: a program that tests
  /// start switches capabilities off.
  package struct Capabilities: OptionSet, Sendable, CaseIterable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Pages of a mapping can be made ready for stores before these (``Platform/populate(_:_:)``).
    package static let populatesPages = Capabilities(rawValue: 1)
    /// There are disks that never need room to change an allocated page
    /// (``Platform/changesPagesInPlace(_:)``).
    package static let changesPagesInPlace = Capabilities(rawValue: 1 << 1)
    /// A mark stays with a file for as long as the system keeps its pages
    /// (``Platform/mark(_:)``).
    package static let keepsInodes = Capabilities(rawValue: 1 << 2)
    /// Holes of a file can be found.
    package static let findsHoles = Capabilities(rawValue: 1 << 3)
    /// The disk space of a part of a file can be freed.
    package static let freesHoles = Capabilities(rawValue: 1 << 4)
    /// Disk space can be allocated before it is written.
    package static let preallocates = Capabilities(rawValue: 1 << 5)

    /// Each of them by itself.
    package static let allCases: [Capabilities] = (0..<6).map { Capabilities(rawValue: 1 << $0) }
  }

  /// What the system can do, less what this process has switched off.
  package static var capabilities: Capabilities {
    present.subtracting(Capabilities(rawValue: switchedOff.load(ordering: .relaxed)))
  }

  /// Switches capabilities off in this process, for files that are opened afterwards.
  package static func switchOff(_ capabilities: Capabilities) {
    switchedOff.bitwiseOr(capabilities.rawValue, ordering: .relaxed)
  }

  private static let switchedOff = Atomic<UInt8>(0)
}
