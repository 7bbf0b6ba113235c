import Ikran
import IkranTransport

/// The header fields and limits of a command's requests.
struct RequestOptions: Sendable {
  var headers: [HeaderField] = []
  /// Seconds for each attempt.
  var timeout: Double?
  /// Seconds until the image is loaded, all attempts included.
  var deadline: Double?

  /// Sets these headers and limits in a request.
  func apply(to request: inout ImageRequest) {
    request.transfer.headers = headers
    request.transfer.timeout = timeout.map { .seconds($0) }
    request.deadline = deadline.map { .seconds($0) }
  }
}

/// What the help says of `--stop-early`.
let stopEarlyNote = """
  With --stop-early a thumbnail of a progressive JPEG takes the scans that it needs, and has the same
  pixels. What arrived is kept: a larger style downloads the rest.
  """

extension Option {
  /// `--stop-early`.
  static func stopsEarly(_ path: any WritableKeyPath<Root, Bool> & Sendable) -> Option {
    .flag("stop-early", path, "ends a download when what has arrived is enough")
  }

  /// `--max-pixels`.
  static func maximumPixels(_ path: any WritableKeyPath<Root, Int> & Sendable) -> Option {
    .one(
      "max-pixels",
      path,
      "N",
      .integer(1...Int.max),
      "refuses what takes memory for more pixels\n(default: 100000000)"
    )
  }

  /// `--header`, `--timeout` and `--deadline`.
  static func transfer(_ path: any WritableKeyPath<Root, RequestOptions> & Sendable) -> [Option] {
    [
      Option(
        name: "header",
        value: "'NAME: VALUE'",
        help: "a field of the request; may be repeated"
      ) { (root, word) throws(UsageError) in
        root[keyPath: path].headers.append(try Reading<HeaderField>.header.read(word))
      },
      Option(
        name: "timeout",
        value: "SECONDS",
        help: "the longest each transfer may take; a redirect starts\nanother (default: 60)"
      ) { (root, word) throws(UsageError) in
        root[keyPath: path].timeout = try Reading<Double>.seconds.read(word)
      },
      Option(
        name: "deadline",
        value: "SECONDS",
        help: "the longest everything may take, retries and the waits\nbetween them included "
          + "(default: none)"
      ) { (root, word) throws(UsageError) in
        root[keyPath: path].deadline = try Reading<Double>.seconds.read(word)
      },
    ]
  }
}

extension Reading where Value == Double {
  fileprivate static var seconds: Reading { number(0.001...86_400) }
}

extension Reading where Value == HeaderField {
  /// `NAME: VALUE`, with the characters of RFC 9110, sections 5.1 and 5.5.
  static var header: Reading {
    Reading("a header field such as 'Accept: image/webp'") { word in
      let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let punctuation = "!#$%&'*+-.^_`|~"
      let isToken = parts[0].allSatisfy { letter in
        letter.isASCII && (letter.isLetter || letter.isNumber || punctuation.contains(letter))
      }
      guard parts.count == 2, isToken, !parts[0].isEmpty else { return nil }
      var value = parts[1].drop { $0 == " " || $0 == "\t" }
      while value.last == " " || value.last == "\t" { value.removeLast() }
      let isText = value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
      return isText ? HeaderField(String(parts[0]), String(value)) : nil
    }
  }
}
