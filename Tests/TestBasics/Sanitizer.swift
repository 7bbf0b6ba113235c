import Glibc

/// Which sanitizer the tests were built for.
public enum Sanitizer {
  /// Whether ThreadSanitizer watches: a few tests cannot run under it.
  public static var watchesThreads: Bool {
    #if TSAN
    true
    #else
    false
    #endif
  }

  /// Whether any sanitizer watches: then everything takes several times as long.
  public static let isOn = watchesThreads || dlsym(nil, "__asan_init") != nil
}
