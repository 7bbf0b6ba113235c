import FoundationEssentials
import IkranService
import IkranSystem

/// `ikran serve`: pictures over HTTP, by URLs in the grammar of imgproxy.
struct ServeCommand: Command {
  var bind: String?
  var cache: String?
  var isUnsigned = false
  var isQuiet = false
  var signs: [String] = []

  static let syntax = Syntax<Self>(
    name: "serve",
    summary: "Serves resized images over HTTP; imgproxy's URLs work.",
    options: [
      .one("bind", \.bind, "ADDRESS", .text, "listens there (default: IKRAN_BIND, or :8080)"),
      .one("cache", \.cache, "DIR", .folderName, "keeps sources and results in this folder"),
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
      requests that are open end. Each request is one line of JSON on standard error.
      """,
    ]
  )

  func run(_ output: Output) async throws -> Int32 {
    var environment = ProcessInfo.processInfo.environment
    if let bind { environment["IKRAN_BIND"] = bind }
    if !signs.isEmpty {
      let signer = try URLSigner(environment: environment)
      for path in signs { try output.line(signer.signed(path)) }
      return 0
    }
    guard isUnsigned || URLSigner.hasKeys(environment) else {
      throw Failure(
        "no keys are set: set IKRAN_KEY and IKRAN_SALT to hexadecimal digits, such as those of"
          + " “openssl rand -hex 32”, or serve anyone with --unsigned"
      )
    }
    var log: (@Sendable (RequestRecord) -> Void)?
    if !isQuiet { log = { record in output.log(record.line) } }
    let service = try await ImageService(
      environment: environment,
      cache: CacheSettings(folder: cache),
      version: CommandList.version,
      log: log,
      contents: { path in try? Files.read(path, maximumBytes: 64 << 20) }
    )
    try output.line(service.baseURL)
    // An interruption cancels the task: that is the normal end of serving.
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
    await service.drain()
    return 0
  }
}

extension RequestRecord {
  /// One object of JSON.
  fileprivate var line: String {
    let object: [(key: String, value: JSON)] = [
      ("id", .string(id)), ("method", .string(method)), ("path", .string(path)),
      ("status", .integer(status)), ("milliseconds", .milliseconds(duration)),
    ]
    let reason = error.map { [(key: "error", value: JSON.string($0))] } ?? []
    return JSON.object(object + reason).text
  }
}
