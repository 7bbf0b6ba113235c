import IkranFoundation

/// How values become bytes and bytes values again.
public struct ValueCoder<Value: Sendable>: Sendable {
  /// Encodes a value; what it throws is the caller's to see.
  public let encode: @Sendable (Value) throws -> [UInt8]
  /// Decodes a value; what it throws means that the bytes are none.
  public let decode: @Sendable ([UInt8]) throws -> Value

  /// Makes a coder of two functions, which are called on any thread, on several at once.
  public init(
    encode: @escaping @Sendable (Value) throws -> [UInt8],
    decode: @escaping @Sendable ([UInt8]) throws -> Value
  ) {
    self.encode = encode
    self.decode = decode
  }
}

extension ValueCoder where Value: Codable {
  /// JSON.
  public static var json: ValueCoder {
    ValueCoder { value in
      Array(try JSONEncoder().encode(value))
    } decode: { bytes in
      try JSONDecoder().decode(Value.self, from: Data(bytes))
    }
  }
}

/// A value in memory, and since when it has been stored.
public struct KeptValue<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value
  /// When it was stored, here or on the disk, in microseconds since 1970.
  public let stored: Int64
}

/// Where a ``CodableCache`` looks or stores.
public enum ValuePlaces: Sendable, Hashable, CaseIterable {
  /// Until the process ends, or there is no more room.
  case memory
  /// For later runs, too.
  case disk
  /// In memory first, then on the disk.
  case both
}
