import Ikran
import IkranPixels
import IkranSystem
import IkranTransport

/// The input of a command: `-`, a URL, a file or a pipe.
enum Input: Sendable {
  case standardInput
  case url(String)
  case file(String)
  /// A pipe with a name, such as the shell's `<(…)`.
  case pipe(String)

  /// `-` is standard input, text that starts with a scheme a URL, and other text a path.
  init(_ word: String) {
    if case .url(let url) = Self.named(word) { self = .url(url) } else { self.init(path: word) }
  }

  /// `-` is standard input, and other text a path.
  init(path: String) {
    if path == "-" {
      self = .standardInput
    } else {
      self = Files.isPipe(path) ? .pipe(path) : .file(path)
    }
  }

  /// The URL or path in a line of a list.
  static func named(_ word: String) -> Input {
    let scheme = word.prefix { $0 != ":" }.lowercased()
    let isURL = ["http", "https", "file", "data"].contains(scheme) || word.contains("://")
    return isURL && scheme.count < word.count ? .url(word) : .file(word)
  }

  /// Its bytes: two that differ only in the normal form of their letters are two files.
  fileprivate var identity: [UInt8] {
    switch self {
    case .standardInput: Array("-".utf8)
    case .pipe(let path): Array("p\(path)".utf8)
    case .url(let url): Array("u\(url)".utf8)
    case .file(let path): Array("f\(path)".utf8)
    }
  }

  /// Its name in messages.
  var name: String {
    switch self {
    case .standardInput: "standard input"
    case .url(let url): redacted(url)
    case .file(let path), .pipe(let path): path
    }
  }

  /// The URL a transport fetches; nil for standard input and pipes.
  func location() throws -> String? {
    switch self {
    case .standardInput, .pipe: nil
    case .url(let url): url
    case .file(let path): "file://" + PercentEncoding.path(try Files.absolute(path))
    }
  }

  /// Whether it is `example.org/a.jpg` or the like, and no file.
  private var isURLWithoutScheme: Bool {
    guard case .file(let path) = self, let slash = path.firstIndex(of: "/") else { return false }
    let host = path[..<slash].split(separator: ".", omittingEmptySubsequences: false)
    return host.count > 1 && !host.contains("") && !Files.exists(path)
  }

  /// What facts call it: the URL without its secrets, as errors do; `-` for standard input and
  /// pipes.
  func displayedLocation() throws -> String {
    if case .url = self { return name }
    return try location() ?? "-"
  }

  /// The request for it, styled; standard input and pipes are read to their end.
  func request(style: Style) async throws -> ImageRequest {
    if isURLWithoutScheme {
      throw Failure("there is no file “\(name)”; if it is a URL, begin it with https://")
    }
    if let location = try location() { return ImageRequest(location: location, style: style) }
    let file = try await bytes()
    var request = ImageRequest(data: file, id: name, style: style)
    // Messages say the name alone; caches keep other bytes of the same name apart.
    request.cacheName = "\(name) " + String(Checksum.of(file), radix: 16)
    return request
  }

  /// All its bytes; more than the limit are an error.
  func bytes(upTo limit: Int = DecodeLimits().maximumBytes) async throws -> [UInt8] {
    switch self {
    case .standardInput: return try await ByteStream.standardInput.bytes(upTo: limit)
    case .pipe(let path): return try await ByteStream.pipe(path).bytes(upTo: limit)
    case .file(let path):
      do throws(SystemError) {
        return try Files.read(path, maximumBytes: limit)
      } catch {
        throw Failure(error)
      }
    case .url(let url):
      let request = TransportRequest(url: url, maximumBodyBytes: limit)
      let response: TransportResponse
      do throws(TransportError) {
        response = try await SchemeTransport().fetch(request) { _ in }
      } catch .cancelled {
        throw CancellationError()
      } catch {
        throw ImageError.transport(error, url: name)
      }
      guard (200..<300).contains(response.status), response.status != 204 else {
        throw ImageError.status(response.status, url: name, ErrorContext(response.head))
      }
      return response.body
    }
  }
}

extension Input: Hashable {
  static func == (left: Input, right: Input) -> Bool { left.identity == right.identity }

  func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

extension Reading where Value == Input {
  /// A path, a URL or `-`.
  static var input: Reading { named { Input($0) } }

  /// A path or `-`, also where it looks like a URL.
  static var path: Reading { named { Input(path: $0) } }

  private static func named(_ input: @escaping @Sendable (String) -> Input) -> Reading {
    Reading { (word) throws(UsageError) in
      guard !word.isEmpty else {
        throw UsageError(
          reason: "the name of a file is empty; name a file, or - for standard input"
        )
      }
      return input(word)
    }
  }
}
