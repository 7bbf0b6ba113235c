extension [UInt8] {
  /// The bytes of a part of a file.
  init(copying bytes: Span<UInt8>) {
    self = bytes.withUnsafeBufferPointer { [UInt8]($0) }
  }

  /// Appends a part of a file.
  mutating func append(copying bytes: Span<UInt8>) {
    bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
  }
}
