/// The URLs' signatures, and the program's own.
struct KeySettings: Sendable, Hashable {
  struct Pair: Sendable, Hashable {
    var key: [UInt8]
    var salt: [UInt8]
  }

  /// Each may have signed a URL; none lets all in.
  var pairs: [Pair] = []
  /// Whether files have them, which may be read again.
  var areInFiles = false
  /// Signatures of any path.
  var trusted: [String] = []
  /// The bytes of a signature.
  var signatureSize = 32
  /// What the field `Authorization` has to bear.
  var secret: String?

  init(_ reader: inout SettingsReader) throws(SettingsError) {
    let keys = try Self.texts("KEY", &reader)
    let salts = try Self.texts("SALT", &reader)
    guard keys.values.count == salts.values.count else {
      throw SettingsError(
        variable: "KEY and SALT",
        value: "\(keys.values.count) and \(salts.values.count) texts",
        expected: "as many keys as salts"
      )
    }
    pairs = zip(keys.values, salts.values).map { Pair(key: $0, salt: $1) }
    areInFiles = keys.isFile || salts.isFile
    trusted = try reader.names("TRUSTED_SIGNATURES")
    signatureSize = try reader.integer("SIGNATURE_SIZE", 32, in: 1...32)
    secret = reader.text("SECRET")
  }

  /// What a file has that a variable names, or else what a variable has itself.
  private static func texts(
    _ name: String,
    _ reader: inout SettingsReader
  ) throws(SettingsError) -> (values: [[UInt8]], isFile: Bool) {
    let variable = reader.variable(name)
    if let path = reader.variable("\(name)PATH") {
      return (try lines(of: path, reader), true)
    }
    guard let variable else { return ([], false) }
    let parts = SettingsReader.parts(of: variable.text, separator: ",")
    let expected = "pairs of hexadecimal digits, with commas between several keys"
    return (try bytes(of: parts, in: variable.name, value: "…", expected), false)
  }

  /// The lines of a file, but for empty ones and comments, which begin with `#`.
  ///
  /// A file without any is refused: no keys at all would let everyone in.
  private static func lines(
    of path: SettingsReader.Variable,
    _ reader: SettingsReader
  ) throws(SettingsError) -> [[UInt8]] {
    guard let contents = reader.contents(path.text) else {
      throw path.fault("the path of a file that can be read")
    }
    let lines = contents.split { $0 == 0x0A || $0 == 0x0D }
      .map { SettingsReader.trimmed($0.text) }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    guard !lines.isEmpty else { throw path.fault("a file with a key in it, in a line of its own") }
    let expected = "a file whose lines are pairs of hexadecimal digits"
    return try bytes(of: lines, in: path.name, value: path.text, expected)
  }

  private static func bytes(
    of texts: [String],
    in name: String,
    value: String,
    _ expected: String
  ) throws(SettingsError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    for text in texts {
      guard let key = [UInt8](hexadecimal: text), !key.isEmpty else {
        throw SettingsError(variable: name, value: value, expected: expected)
      }
      keys.append(key)
    }
    return keys
  }
}
