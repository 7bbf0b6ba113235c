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
    let names = "\(keys.variable) and \(salts.variable)"
    guard keys.values.count == salts.values.count else {
      let value = "\(keys.values.count) and \(salts.values.count) texts"
      throw SettingsError(variable: names, value: value, expected: "as many keys as salts")
    }
    guard SettingsReader.prefix(of: keys.variable) == SettingsReader.prefix(of: salts.variable)
    else {
      let expected = "keys and salts under one prefix, as others may belong to another service"
      throw SettingsError(variable: names, value: "…", expected: expected)
    }
    pairs = zip(keys.values, salts.values).map { Pair(key: $0, salt: $1) }
    areInFiles = keys.isFile || salts.isFile
    trusted = try reader.names("TRUSTED_SIGNATURES")
    signatureSize = try reader.integer("SIGNATURE_SIZE", 32, in: 1...32)
    secret = reader.text("SECRET")
  }

  /// Keys or salts, and where they are from.
  private struct Found {
    var values: [[UInt8]] = []
    var variable: String
    var isFile = false
  }

  /// What a file has that a variable names, or what a variable has itself, but not both.
  private static func texts(
    _ name: String,
    _ reader: inout SettingsReader
  ) throws(SettingsError) -> Found {
    let variable = reader.variable(name)
    if let path = reader.variable("\(name)PATH") {
      guard variable == nil else {
        let expected = "only one of them; the other may be an old one"
        let names = "\(reader.wholeName(name)) and \(path.name)"
        throw SettingsError(variable: names, value: "…", expected: expected)
      }
      return Found(values: try lines(of: path, reader), variable: path.name, isFile: true)
    }
    guard let variable else { return Found(variable: reader.wholeName(name)) }
    let parts = SettingsReader.parts(of: variable.text, separator: ",")
    let expected = "pairs of hexadecimal digits, with commas between several keys"
    let values = try bytes(of: parts, in: variable.name, value: "…", expected)
    return Found(values: values, variable: variable.name)
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
