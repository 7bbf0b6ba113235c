/// A property of a view that pictures may override, such as its content mode.
///
/// The program's own value is remembered while a picture has another one, and is set again once no
/// picture asks for that.
package struct OverriddenValue<Value: Equatable> {
  private var override: (own: Value, shown: Value)?

  package init() {}

  /// The program's own value.
  ///
  /// - Parameter current: What the view has now; a program that has set another value meant that.
  /// - Returns: The remembered one, or the current one.
  package func own(_ current: Value) -> Value {
    if let override, override.shown == current { override.own } else { current }
  }

  /// What the view is to have.
  ///
  /// - Parameters:
  ///   - wanted: What the picture asks for; nil for the program's own value.
  ///   - current: What the view has now.
  /// - Returns: The value.
  package mutating func value(for wanted: Value?, over current: Value) -> Value {
    let remembered = own(current)
    override = wanted.map { (remembered, $0) }
    return wanted ?? remembered
  }
}
