import IkranSystem

/// When the system lets the files of a folder be read: by whether the device is locked.
///
/// iPhones and iPads have it; what a Mac makes of it is unseen, and on Linux it changes nothing. It
/// is set on the folder, and files that are made there later have it; those that are there keep
/// theirs.
public enum FileProtection: Sendable, Hashable, CaseIterable {
  /// At any time.
  case none
  /// From the first time that the device is unlocked after its start.
  case untilFirstUnlock
  /// While the device is unlocked.
  ///
  /// The pipeline has to be told: `PipelineLifecycle` of IkranApple suspends it while the device is
  /// locked, so look-ups of what memory does not have are misses.
  case complete
}

extension ImagePipeline {
  /// Whether it keeps something that can be read only while the device is unlocked.
  package var needsUnlockedDevice: Bool { context.options.needsUnlockedDevice }
}

extension PipelineOptions {
  /// Whether something is kept that can be read only while the device is unlocked.
  var needsUnlockedDevice: Bool {
    disk?.protection == .complete || tables?.protection(nextTo: disk) == .complete
  }

  /// Sets the protection of the folders, which it makes.
  ///
  /// Two system calls a folder on Apple's platforms, none on Linux. A lesser protection is what a
  /// system has by itself, so where it cannot be set the folder is used.
  ///
  /// - Parameter report: Called with each failure.
  /// - Returns: The options, without a folder that was to be protected completely and is not.
  func withProtectedFolders(report: (SystemError) -> Void) -> PipelineOptions {
    guard FileProtection.isAvailable else { return self }
    var options = self
    let directory = tables?.directory(nextTo: disk)
    if let disk, !disk.protection.isSet(on: disk.directory, report) { options.disk = nil }
    if let tables, let directory, !tables.protection(nextTo: disk).isSet(on: directory, report) {
      options.tables = nil
    }
    return options
  }
}

extension FileProtection {
  /// Sets it on a folder; whether the folder may be used.
  fileprivate func isSet(on folder: String, _ report: (SystemError) -> Void) -> Bool {
    do throws(SystemError) {
      try Files.createDirectories(folder)
      try set(on: folder)
      return true
    } catch {
      report(error)
      return self != .complete
    }
  }
}
