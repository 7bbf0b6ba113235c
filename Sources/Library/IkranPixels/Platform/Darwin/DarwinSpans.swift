#if canImport(Darwin)
// Decision 97: `Array.span` is in macOS 26 and iOS 26; a span of a pointer is older. Where a file
// imports this module, these come before those of the standard library.
extension Array {
  /// The elements, in place.
  package var span: Span<Element> {
    @_lifetime(borrow self)
    get {
      // An array of what is no class is one block of memory, which lives as long as `self`.
      let elements = UnsafeBufferPointer(start: _baseAddressIfContiguous, count: count)
      return _overrideLifetime(elements.span, borrowing: self)
    }
  }
}
#endif
