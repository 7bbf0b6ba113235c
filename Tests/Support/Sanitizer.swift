import Glibc

/// Which sanitizer the tests were built for.
public enum Sanitizer {
  /// Whether ThreadSanitizer watches: then long computations on one thread are left out, where
  /// nothing can race.
  public static var watchesThreads: Bool {
    #if TSAN
    true
    #else
    false
    #endif
  }

  /// Whether any sanitizer watches: then everything takes several times as long.
  public static let isOn = watchesThreads || dlsym(nil, "__asan_init") != nil

  /// `count`, or when a sanitizer watches a tenth of it, but no fewer than `least`.
  public static func fewer(_ count: Int, atLeast least: Int = 1) -> Int {
    isOn ? max(least, count / 10) : count
  }
}
