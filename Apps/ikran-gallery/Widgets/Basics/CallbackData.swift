import CGTK

/// A closure as the data of a C callback.
final class CallbackData<Value, Result> {
  private let body: @MainActor (Value) -> Result

  init(_ body: @escaping @MainActor (Value) -> Result) { self.body = body }

  /// A reference for GTK, which ends with ``releaseCallbackData``.
  func retained() -> gpointer { Unmanaged.passRetained(self).toOpaque() }

  /// Calls the closure of a callback; nil without data.
  nonisolated static func call(_ data: gpointer?, _ value: Value) -> Result? {
    nonisolated(unsafe) let (data, value) = (data, value)  // GTK calls on its thread
    nonisolated(unsafe) var result: Result?  // the same
    MainActor.assumeIsolated {
      guard let data else { return }
      result = Unmanaged<CallbackData>.fromOpaque(data).takeUnretainedValue().body(value)
    }
    return result
  }
}

/// Releases the closure of a callback that GTK calls no more.
let releaseCallbackData: GDestroyNotify = { data in
  if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
}
