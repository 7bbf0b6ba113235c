import FoundationEssentials

/// How often the randomised and the long tests repeat.
///
/// A few rounds find most mistakes; all of them find the rare ones and take ten times as long. The
/// variable `IKRAN_ROUNDS` set to `all` asks for all: `Scripts/test` sets it for one kind of build.
/// From more rounds on one thread ThreadSanitizer learns nothing: it gets the fewest.
public enum Rounds {
  /// Whether all rounds are to be run.
  public static let areAll = ProcessInfo.processInfo.environment["IKRAN_ROUNDS"] == "all"

  /// Whether a few rounds are enough.
  public static var areFew: Bool { !areAll }

  /// `count`, or when a few are enough a tenth of it, but no fewer than `least`.
  ///
  /// Under ThreadSanitizer a fiftieth is enough, unless the rounds run on several threads or start
  /// processes, which `concurrent` says.
  public static func fewer(_ count: Int, atLeast least: Int = 1, concurrent: Bool = false) -> Int {
    areAll ? count : max(least, count / (Sanitizer.watchesThreads && !concurrent ? 50 : 10))
  }

  /// `items`, or when a few are enough every fifth of them, the first included; under
  /// ThreadSanitizer every tenth.
  public static func fewer<Item>(of items: [Item]) -> [Item] {
    let step = areAll ? 1 : Sanitizer.watchesThreads ? 10 : 5
    return stride(from: 0, to: items.count, by: step).map { items[$0] }
  }
}
