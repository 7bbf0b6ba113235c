import FoundationEssentials
import IkranStores

/// Where this user's caches are.
public enum CacheDirectory {
  /// `$XDG_CACHE_HOME/ikran`, else `~/.cache/ikran`; nil when neither variable is set.
  ///
  /// See the XDG Base Directory Specification.
  public static var standard: String? {
    let environment = ProcessInfo.processInfo.environment
    if let caches = environment["XDG_CACHE_HOME"], caches.hasPrefix("/") {
      return caches + "/ikran"
    }
    return environment["HOME"].map { $0 + "/.cache/ikran" }
  }
}
