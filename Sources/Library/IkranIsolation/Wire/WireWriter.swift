/// Writes values as bytes for another process of the same build: every number takes eight.
struct WireWriter {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ number: Int) {
    withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
  }

  mutating func add(_ more: [UInt8]) {
    add(more.count)
    bytes.append(contentsOf: more)
  }
}

/// Reads what a ``WireWriter`` wrote, or what a process that runs a stranger's code says it did.
struct WireReader {
  /// The bytes are no such values.
  struct Garbled: Error {}

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func number() throws(Garbled) -> Int {
    guard bytes.count - position >= 8 else { throw Garbled() }
    var number: UInt64 = 0
    for i in 0..<8 { number |= UInt64(bytes[position + i]) << (8 * UInt64(i)) }
    position += 8
    return Int(bitPattern: UInt(number))
  }

  /// A number that a size, a count or a time can be.
  mutating func nonNegative() throws(Garbled) -> Int {
    let value = try number()
    guard 0...Int(Int32.max) ~= value else { throw Garbled() }
    return value
  }

  mutating func bytes(count: Int) throws(Garbled) -> [UInt8] {
    guard count >= 0, bytes.count - position >= count else { throw Garbled() }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }
}

/// A value that travels between this process and its decoders.
protocol Wired {
  func write(to wire: inout WireWriter)
  init(from wire: inout WireReader) throws(WireReader.Garbled)
}

extension Int: Wired {
  func write(to wire: inout WireWriter) { wire.add(self) }
  init(from wire: inout WireReader) throws(WireReader.Garbled) { self = try wire.number() }
}

extension Bool: Wired {
  func write(to wire: inout WireWriter) { wire.add(self ? 1 : 0) }
  init(from wire: inout WireReader) throws(WireReader.Garbled) { self = try wire.number() != 0 }
}

extension String: Wired {
  func write(to wire: inout WireWriter) { wire.add(Array(utf8)) }
  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    self = String(decoding: try wire.bytes(count: wire.number()), as: UTF8.self)
  }
}

extension Optional: Wired where Wrapped: Wired {
  func write(to wire: inout WireWriter) {
    (self != nil).write(to: &wire)
    self?.write(to: &wire)
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    self = try Bool(from: &wire) ? Wrapped(from: &wire) : nil
  }
}

extension Array: Wired where Element: Wired {
  func write(to wire: inout WireWriter) {
    wire.add(count)
    for element in self { element.write(to: &wire) }
  }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    self = []
    // A count that is too large ends with the bytes.
    for _ in 0..<(try wire.nonNegative()) { append(try Element(from: &wire)) }
  }
}

extension Wired where Self: RawRepresentable, RawValue: Wired {
  func write(to wire: inout WireWriter) { rawValue.write(to: &wire) }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    guard let value = Self(rawValue: try RawValue(from: &wire)) else { throw WireReader.Garbled() }
    self = value
  }
}

extension Wired where Self: RawRepresentable, RawValue == UInt8 {
  func write(to wire: inout WireWriter) { Int(rawValue).write(to: &wire) }

  init(from wire: inout WireReader) throws(WireReader.Garbled) {
    guard let raw = UInt8(exactly: try wire.number()), let value = Self(rawValue: raw) else {
      throw WireReader.Garbled()
    }
    self = value
  }
}
