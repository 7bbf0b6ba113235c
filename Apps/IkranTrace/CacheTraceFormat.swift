// The format of a trace, version 1. Lines of ASCII, each ended by a line feed; any number of
// processes may append to one file, so lines are in the order of time only for each process.
//
//   # ikran cache trace 1        the first line; repeated if two processes created the file at once
//   1763736204000000 9ae16a3b2f90404f 36864 5100
//
// Fields, one space between them:
//   time    microseconds since 1970-01-01 00:00 UTC, decimal, up to 18 digits
//   key     16 hexadecimal digits in lower case: XXH64 of the key's UTF-8 bytes, seed 0
//   bytes   the value's size in the cache, decimal, at most 64 GiB
//   cost    microseconds to compute the value again, decimal, up to 18 digits; 0: unknown
//
// Other lines that begin with # and empty lines are skipped.

/// Writes and reads the lines of a trace.
enum CacheTraceFormat {
  static let header = "# ikran cache trace 1\n"
  static let headerStart = Array("# ikran cache trace ".utf8)

  /// A parsed line.
  enum Line {
    case request(TraceRequest)
    case nothing
    case otherVersion
    case bad(String)
  }

  /// Appends a request's line.
  static func write(_ request: TraceRequest, to lines: inout [UInt8]) {
    lines.append(contentsOf: "\(request.time) ".utf8)
    for shift in stride(from: 60, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: request.key >> UInt64(shift) & 15)
      lines.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
    }
    lines.append(contentsOf: " \(request.bytes) \(request.cost)\n".utf8)
  }

  /// Parses a line without its line feed.
  static func read(_ line: ArraySlice<UInt8>) -> Line {
    guard let first = line.first else { return .nothing }
    if first == 0x23 {
      guard line.starts(with: headerStart) else { return .nothing }
      return line.dropFirst(headerStart.count).elementsEqual("1".utf8) ? .nothing : .otherVersion
    }
    let fields = line.split(separator: 0x20, maxSplits: 4, omittingEmptySubsequences: false)
    guard fields.count == 4 else { return .bad("has not four fields") }
    guard let time = decimal(fields[0]) else { return .bad("has no time") }
    guard let key = hash(fields[1]) else { return .bad("has no hash of 16 digits") }
    guard let bytes = decimal(fields[2]), bytes <= TraceRequest.maximumBytes else {
      return .bad("has no number of bytes up to 64 GiB")
    }
    guard let cost = decimal(fields[3]) else { return .bad("has no cost") }
    return .request(TraceRequest(time: Int64(time), key: key, bytes: bytes, cost: cost))
  }

  /// Up to 18 digits, which every Int holds.
  private static func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...18).contains(digits.count) else { return nil }
    var number = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      number = number * 10 + Int(digit - 0x30)
    }
    return number
  }

  private static func hash(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard digits.count == 16 else { return nil }
    var number: UInt64 = 0
    for digit in digits {
      switch digit {
      case 0x30...0x39: number = number << 4 | UInt64(digit - 0x30)
      case 0x61...0x66: number = number << 4 | UInt64(digit - 0x57)
      default: return nil
      }
    }
    return number
  }
}
