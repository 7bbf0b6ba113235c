#if canImport(Glibc)
import Glibc

/// The functions of GIO's network monitor, loaded from the installed library.
///
/// The library stays loaded, because its types cannot be unregistered.
struct GIOLibrary: Sendable {
  typealias Pointer = UnsafeMutableRawPointer
  typealias Name = UnsafePointer<CChar>

  private struct Missing: Error {}

  private let makeContext: @Sendable @convention(c) () -> Pointer?
  private let pushContext: @Sendable @convention(c) (Pointer?) -> Void
  private let popContext: @Sendable @convention(c) (Pointer?) -> Void
  private let releaseContext: @Sendable @convention(c) (Pointer?) -> Void
  private let iterate: @Sendable @convention(c) (Pointer?, CInt) -> CInt
  private let findProxy: @Sendable @convention(c) (Name) -> Pointer?
  private let findPoint: @Sendable @convention(c) (Name) -> Pointer?
  private let findExtension: @Sendable @convention(c) (Pointer?, Name) -> Pointer?
  private let kind: @Sendable @convention(c) (Pointer?) -> UInt
  private let makeObject:
    @Sendable @convention(c) (UInt, CUnsignedInt, Pointer?, Pointer?) -> Pointer?
  private let releaseObject: @Sendable @convention(c) (Pointer?) -> Void
  private let begin: @Sendable @convention(c) (Pointer?, Pointer?, Pointer?) -> CInt
  private let isAvailable: @Sendable @convention(c) (Pointer?) -> CInt
  private let isMetered: @Sendable @convention(c) (Pointer?) -> CInt

  /// C functions: `dlopen`, `dlsym`; nil when the library or one of its functions is missing.
  init?(_ name: String) {
    guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    func find<Function>(_ function: String) throws(Missing) -> Function {
      guard let address = dlsym(library, function) else { throw Missing() }
      return unsafeBitCast(address, to: Function.self)
    }
    do throws(Missing) {
      makeContext = try find("g_main_context_new")
      pushContext = try find("g_main_context_push_thread_default")
      popContext = try find("g_main_context_pop_thread_default")
      releaseContext = try find("g_main_context_unref")
      iterate = try find("g_main_context_iteration")
      findProxy = try find("g_proxy_get_default_for_protocol")
      findPoint = try find("g_io_extension_point_lookup")
      findExtension = try find("g_io_extension_point_get_extension_by_name")
      kind = try find("g_io_extension_get_type")
      makeObject = try find("g_object_new_with_properties")
      releaseObject = try find("g_object_unref")
      begin = try find("g_initable_init")
      isAvailable = try find("g_network_monitor_get_network_available")
      isMetered = try find("g_network_monitor_get_network_metered")
    } catch {
      return nil
    }
  }

  /// Queries the portal of a sandbox, or NetworkManager; false when neither exists.
  ///
  /// It creates separate monitors: the program's default one, which `g_network_monitor_get_default`
  /// would create here, delivers its signals in the main context of the thread that created it.
  func isNetworkMetered() -> Bool {
    let context = makeContext()
    pushContext(context)
    defer {
      popContext(context)
      releaseContext(context)
    }
    // GIO registers its monitors in this call, which has no other effect.
    _ = findProxy("none")
    guard let point = findPoint("gio-network-monitor") else { return false }
    for name in ["portal", "networkmanager"] {
      guard let found = findExtension(point, name),
        let monitor = makeObject(kind(found), 0, nil, nil)
      else { continue }
      defer { releaseObject(monitor) }
      guard begin(monitor, nil, nil) != 0 else { continue }
      if name == "portal" { waitForPortal(monitor, context) }
      return isMetered(monitor) != 0
    }
    return false
  }

  /// Runs the context until the portal's first response, for half a second at most.
  ///
  /// Until then the monitor says that the network is unavailable; if it stays so the network is not
  /// metered.
  private func waitForPortal(_ monitor: Pointer, _ context: Pointer?) {
    for _ in 0..<100 where isAvailable(monitor) == 0 {
      while iterate(context, 0) != 0 {}
      usleep(5000)
    }
  }
}
#endif
