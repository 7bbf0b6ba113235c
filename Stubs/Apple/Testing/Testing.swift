// https://developer.apple.com/documentation/testing/expect(_:_:sourcelocation:) · macOS 10.15, iOS 13.0 ?
public func expect(_ condition: Bool) {}

// https://developer.apple.com/documentation/testing/require(_:_:sourcelocation:)-6w9oo · macOS 10.15, iOS 13.0 ?
public func require<Value>(_ value: Value?) throws -> Value { fatalError() }
