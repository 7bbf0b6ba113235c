import ObjectiveC

/// A name under which one object hangs on another, and ends with it.
final class AssociationKey: Sendable {
  /// The address of the key, which lives as long as the program: each is kept by a type.
  private var pointer: UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// What hangs on an object; nil for nothing.
  @MainActor
  func value(of object: AnyObject) -> Any? { objc_getAssociatedObject(object, pointer) }

  /// Hangs something on an object, which retains it.
  @MainActor
  func set(_ value: AnyObject, on object: AnyObject) {
    objc_setAssociatedObject(object, pointer, value, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
  }
}
