import FoundationEssentials
import IkranService
import IkranSystem

/// `ikran serve`: pictures over HTTP, by URLs in the grammar of imgproxy.
struct ServeCommand: Command {
  var bind: String?
  var cache: String?
  var keyPath: String?
  var saltPath: String?
  var cacheSize: Int?
  var isUnsigned = false
  var isQuiet = false
  var signs: [String] = []

  static let syntax = Syntax<Self>(
    name: "serve",
    summary: "Serves resized images over HTTP; imgproxy's URLs work.",
    options: [
      .one("bind", \.bind, "ADDRESS", .text, "listens there (default: IKRAN_BIND, or :8080)"),
      .one("cache", \.cache, "DIR", .folderName, "keeps sources and results in this folder"),
      .one(
        "cache-size",
        \.cacheSize,
        "BYTES",
        .integer(0...Int.max),
        "of both together (default: IKRAN_CACHE_SIZE, or 1073741824)"
      ),
      .one("keypath", \.keyPath, "FILE", .text, "reads the keys from this file, one in each line"),
      .one("saltpath", \.saltPath, "FILE", .text, "reads the salts from this file, in that order"),
      .flag("unsigned", \.isUnsigned, "serves without IKRAN_KEY and IKRAN_SALT, to anyone"),
      .flag("quiet", \.isQuiet, "prints no line for each request"),
      .many("sign", \.signs, "PATH", .text, "prints this path with its signature, and ends"),
    ],
    notes: [
      """
      Reads its settings from variables: IKRAN_KEY and IKRAN_SALT (hexadecimal), and all others of
      imgproxy's open-source edition, with IKRAN_ or IMGPROXY_ before their names. What it does not
      have is refused at the start.
      """,
      """
      Prints its base URL as the first line and serves until it is interrupted; then it lets the
      requests that are open end. Each request is a line on standard error (IKRAN_LOG_FORMAT).
      """,
      """
      Keys and salts in files are read again on SIGHUP, and count from the next request on. A file
      that cannot be read, or has a mistake, changes nothing.
      """,
    ]
  )

  func run(_ output: Output) async throws -> Int32 {
    var environment = ProcessInfo.processInfo.environment
    if let bind { environment["IKRAN_BIND"] = bind }
    if let cacheSize { environment["IKRAN_CACHE_SIZE"] = "\(cacheSize)" }
    if let keyPath { environment["IKRAN_KEYPATH"] = keyPath }
    if let saltPath { environment["IKRAN_SALTPATH"] = saltPath }
    do { return try await serve(environment, output) } catch let error as SettingsError {
      throw error.naming(options)
    }
  }

  /// The options that stand for variables.
  private var options: [String: String] {
    let all = [
      ("IKRAN_BIND", bind, "--bind"), ("IKRAN_KEYPATH", keyPath, "--keypath"),
      ("IKRAN_SALTPATH", saltPath, "--saltpath"),
      ("IKRAN_CACHE_SIZE", cacheSize.map { "\($0)" }, "--cache-size"),
    ]
    return Dictionary(uniqueKeysWithValues: all.filter { $0.1 != nil }.map { ($0.0, $0.2) })
  }

  private func serve(_ environment: [String: String], _ output: Output) async throws -> Int32 {
    if !signs.isEmpty {
      let signer = try URLSigner(environment: environment, contents: Self.contents)
      for path in signs { try output.line(signer.signed(path)) }
      return 0
    }
    guard isUnsigned || URLSigner.hasKeys(environment) else {
      throw Failure(
        "no keys are set: set IKRAN_KEY and IKRAN_SALT to hexadecimal digits, such as those of"
          + " “openssl rand -hex 32”, or serve anyone with --unsigned"
      )
    }
    if isUnsigned, URLSigner.hasKeys(environment) {
      throw Failure("keys are set, so URLs need signatures: leave out --unsigned, or the keys")
    }
    let form = try LogSettings(environment: environment).form
    let service = try await ImageService(
      environment: environment,
      cache: CacheSettings(folder: cache),
      version: CommandList.version,
      log: ServiceLog(hasRequests: !isQuiet) { line in output.log(line.text(form)) },
      contents: Self.contents
    )
    for name in service.unknownVariables {
      output.complain("\(name) is no setting of this service, and changes nothing")
    }
    for sentence in service.warnings { output.complain(sentence) }
    try output.line(service.baseURL)
    // An interruption cancels the task: that is the normal end of serving.
    for await _ in Interruption.hangups { Self.reload(service, output) }
    await service.drain()
    return 0
  }

  private static let contents: @Sendable (String) -> [UInt8]? = { path in
    try? Files.read(path, maximumBytes: 64 << 20)
  }

  private static func reload(_ service: ImageService, _ output: Output) {
    do throws(SettingsError) {
      let count = try service.reloadKeys()
      output.complain(
        count.map { "the keys were read again; there are now \($0)" }
          ?? "no file has keys, so none was read again; see IKRAN_KEYPATH"
      )
    } catch {
      output.complain("the keys stay as they were: \(Failure(error).sentence)")
    }
  }
}
