import FoundationEssentials
import Glibc
import IkranCodecs
import IkranIsolation
import IkranPixels
import IkranSystem

/// Decodes each file of a folder in a process of its own, and holds what the process took against
/// limits.
enum HostileFiles {
  private struct Limits {
    /// Of processors, for all that is done with a file; a build that is not optimised takes longer.
    #if DEBUG
    var seconds = 20.0
    #else
    var seconds = 2.0
    #endif
    var megabytes = 256
  }

  /// What one process took, with its decoder.
  private struct Cost {
    var seconds: Double
    var megabytes: Int
    var status: Int32
  }

  /// Seconds after which a process is ended, and those in which a decoder has to respond.
  #if DEBUG
  private static let (longest, longestResponse): (UInt32, Int) = (180, 60)
  #else
  private static let (longest, longestResponse): (UInt32, Int) = (30, 20)
  #endif
  /// The fewest files that a folder has: a wrong one must not pass.
  private static let fewest = 80

  /// Limits of files that are known to pass the others.
  private static let exceptions = [
    // 81 megapixels of gray, of which libjxl makes four channels.
    "jxl-9000x9000-gray-valid.jxl": Limits(seconds: 3 * Limits().seconds, megabytes: 512)
  ]

  /// Decodes all files of a folder; false when one passes its limits or is no image and no error.
  static func check(_ folder: String, _ place: String) throws -> Bool {
    var (isFine, slowest, largest) = (true, ("", 0.0), ("", 0))
    let names = try Files.list(folder).sorted()
    for name in names {
      let cost = try run(["file", place, "\(folder)/\(name)"])
      let limits = exceptions[name] ?? Limits()
      var faults = cost.status == 0 ? [] : ["status \(cost.status)"]
      if cost.seconds > limits.seconds { faults.append("\(cost.seconds) s") }
      if cost.megabytes > limits.megabytes { faults.append("\(cost.megabytes) MB") }
      if !faults.isEmpty { print("\(name), \(place): \(faults.joined(separator: ", "))") }
      isFine = isFine && faults.isEmpty
      guard exceptions[name] == nil else { continue }
      if cost.seconds > slowest.1 { slowest = (name, cost.seconds) }
      if cost.megabytes > largest.1 { largest = (name, cost.megabytes) }
    }
    print(
      "\(folder.split(separator: "/").last ?? ""), \(place): \(names.count) files, at most"
        + " \(slowest.1) s (\(slowest.0)) and \(largest.1) MB (\(largest.0))"
    )
    return isFine && names.count >= fewest
  }

  /// Runs this program, and waits for it.
  private static func run(_ words: [String]) throws -> Cost {
    let program = try Files.read("/proc/self/cmdline").prefix { $0 != 0 }
    let variables = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
    var arguments = ([String(decoding: program, as: UTF8.self)] + words).map { strdup($0) } + [nil]
    var environment = variables.map { strdup($0) } + [nil]
    defer { for pointer in arguments + environment { free(pointer) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, "/proc/self/exe", nil, nil, &arguments, &environment)
    guard code == 0 else { throw SystemError.last("start", "PictureLoads") }
    var (status, used) = (Int32(0), rusage())
    while wait4(process, &status, 0, &used) < 0, errno == EINTR {}
    let times = [used.ru_utime, used.ru_stime]
    let microseconds = times.reduce(0) { $0 + $1.tv_sec * 1_000_000 + Int($1.tv_usec) }
    return Cost(
      seconds: Double(microseconds / 10_000) / 100,
      megabytes: used.ru_maxrss >> 10,
      status: status
    )
  }

  /// Decodes a file whole, as a thumbnail, and its first frame if it has frames; false when one of
  /// them is neither an image nor an error of one sentence.
  static func decode(_ path: String, apart: Bool) throws -> Bool {
    alarm(longest)
    let pool = DecoderPool(seconds: longestResponse)
    let codecs = apart ? CodecList.standard.isolated(.all, in: pool) : .standard
    let file = try Files.read(path)
    let results = [
      result { () throws(DecodeError) in _ = try codecs.decode(file.span) },
      result { () throws(DecodeError) in
        _ = try codecs.decode(file.span, fitting: .cover(PixelSize(width: 96, height: 96)))
      },
      result { () throws(DecodeError) in
        _ = try codecs.frames(of: file)?.makeComposer().compose(0)
      },
    ]
    // The process that asks counts decoders once they have ended.
    pool.endIdle()
    for case .failure(let error) in results where !isOneSentence(error) {
      print("\(path): \(error)")
      return false
    }
    return true
  }

  private static func result(
    _ work: () throws(DecodeError) -> Void
  ) -> Result<Void, DecodeError> {
    Result { () throws(DecodeError) in try work() }
  }

  /// Whether an error is one, of a decoder that is still there.
  private static func isOneSentence(_ error: DecodeError) -> Bool {
    if case .isolated = error { return false }
    let text = error.description
    return !text.isEmpty && text.utf8.count < 300 && !text.contains { $0.isNewline }
      && text.split(separator: ". ").count == 1
  }
}
