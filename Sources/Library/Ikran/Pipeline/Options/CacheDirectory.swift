import IkranSystem

/// Where this user's caches are.
public enum CacheDirectory {
  /// `$XDG_CACHE_HOME/ikran`, else `~/.cache/ikran`; nil when neither variable is set.
  ///
  /// See the XDG Base Directory Specification.
  public static var standard: String? {
    if let caches = Files.variable("XDG_CACHE_HOME"), caches.hasPrefix("/") {
      return caches + "/ikran"
    }
    return Files.variable("HOME").map { $0 + "/.cache/ikran" }
  }
}
