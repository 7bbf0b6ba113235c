import FoundationEssentials

/// How often the randomised and the long tests repeat.
///
/// A few rounds find most mistakes; all of them find the rare ones and take ten times as long. The
/// variable `IKRAN_ROUNDS` set to `all` asks for all: `Scripts/test` sets it for one kind of build.
public enum Rounds {
  /// Whether all rounds are to be run.
  public static let areAll = ProcessInfo.processInfo.environment["IKRAN_ROUNDS"] == "all"

  /// Whether a few rounds are enough.
  public static var areFew: Bool { !areAll }

  /// `count`, or when a few are enough a tenth of it, but no fewer than `least`.
  public static func fewer(_ count: Int, atLeast least: Int = 1) -> Int {
    areAll ? count : max(least, count / 10)
  }

  /// `items`, or when a few are enough every fifth of them, the first included.
  public static func fewer<Item>(of items: [Item]) -> [Item] {
    areAll ? items : items.enumerated().filter { $0.offset.isMultiple(of: 5) }.map(\.element)
  }
}
