/// What signs requests to S3.
struct S3Credentials: Sendable, Hashable {
  var id: String
  var secret: String
  /// Of credentials that expire.
  var session: String?
}

extension S3Credentials {
  /// Those of the environment; nil where it has none.
  init?(environment reader: SettingsReader) {
    guard let id = reader.system("AWS_ACCESS_KEY_ID"),
      let secret = reader.system("AWS_SECRET_ACCESS_KEY")
    else { return nil }
    let session = reader.system("AWS_SESSION_TOKEN")?.text
    self.init(id: id.text, secret: secret.text, session: session)
  }

  /// Those of a file that Amazon's tools share; nil where there is none.
  ///
  /// - Throws: ``SettingsError`` where a variable names a file or a profile that does not exist.
  init?(fileOf reader: SettingsReader) throws(SettingsError) {
    let file = reader.system("AWS_SHARED_CREDENTIALS_FILE")
    let home = reader.system("HOME").map { $0.text + "/.aws/credentials" }
    guard let path = file?.text ?? home else { return nil }
    guard let bytes = reader.contents(path) else {
      if let file { throw file.fault("the path of a file that can be read") }
      return nil
    }
    let profile = reader.system("AWS_PROFILE")
    self.init(profile: profile?.text ?? "default", in: String(decoding: bytes, as: UTF8.self))
    guard self.id.isEmpty else { return }
    if let profile { throw profile.fault("a profile of “\(path)” with a key and its secret") }
    return nil
  }

  /// A profile's in the text of such a file: `[profile]`, and then lines of names and values.
  ///
  /// Without the profile, or where it lacks a part, all parts are empty.
  private init(profile: String, in text: String) {
    var values: [String: String] = [:]
    var isHere = false
    for line in text.split(whereSeparator: \.isNewline).map(SettingsReader.trimmed) {
      if line.hasPrefix("[") {
        isHere = SettingsReader.trimmed(line.dropFirst().prefix { $0 != "]" }) == profile
      } else if isHere, let sign = line.firstIndex(of: "="), !line.hasPrefix("#") {
        let name = SettingsReader.trimmed(line[..<sign]).lowercased()
        values[name] = SettingsReader.trimmed(line[line.index(after: sign)...])
      }
    }
    let (id, secret) = (values["aws_access_key_id"] ?? "", values["aws_secret_access_key"] ?? "")
    let isWhole = !id.isEmpty && !secret.isEmpty
    self.init(
      id: isWhole ? id : "",
      secret: isWhole ? secret : "",
      session: values["aws_session_token"].flatMap { $0.isEmpty ? nil : $0 }
    )
  }
}
