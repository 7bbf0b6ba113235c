import Glibc
import IkranStores
import IkranSystem

// Decision 10: a program that the crash tests kill.
/// A program for the tests to kill: it uses a disk cache or an image table at full speed.
///
/// Usage: `StoreTorture write DIR SEED OPERATIONS FORM`, with a `TortureForm`, or
/// `StoreTorture full DIR`, or a command of `DiskTorture` or `TableTorture`, each after `without BITS`,
/// with the bits of `Platform.Capabilities` that are switched off. It writes a byte to standard output
/// after each operation. Exit codes: 0 done, 1 a wrong body or picture was read or an error was not
/// the expected one, 2 wrong usage.
@main
enum StoreTorture {
  static func main() {
    var arguments = CommandLine.arguments
    if arguments.count > 3, arguments[1] == "without" {
      guard let bits = UInt8(arguments[2]) else { exit(2) }
      Platform.switchOff(Platform.Capabilities(rawValue: bits))
      arguments.removeSubrange(1...2)
    }
    do {
      switch (arguments.dropFirst().first, arguments.count) {
      case ("write", 6):
        guard let seed = UInt64(arguments[3]), let count = Int(arguments[4]),
          let form = TortureForm(rawValue: arguments[5])
        else { exit(2) }
        let cache = try DiskCache(directory: arguments[2], options: form.options)
        try write(to: cache, seed: seed, operations: count)
      case ("full", 3):
        try fill(arguments[2])
      default:
        let words = Array(arguments.dropFirst())
        if try !DiskTorture.run(words) { try TableTorture.run(words) }
      }
    } catch {
      report("\(error)")
      exit(1)
    }
  }

  /// Stores, one or several at once, reads, extends and removes at random.
  private static func write(to cache: DiskCache, seed: UInt64, operations: Int) throws {
    var random = seed
    func next(_ bound: UInt64) -> UInt64 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (random >> 33) % bound
    }
    for _ in 0..<operations {
      let key = "key-\(next(64))"
      switch next(12) {
      case 0: try cache.remove(key)
      case 1, 2:
        if let entry = try cache.entry(for: key), !TortureBody.isRight(entry, for: key) {
          report("a wrong entry under \(key)")
          exit(1)
        }
      case 3, 4:
        let extended = TortureBody.make(key: key, seed: next(1 << 30), count: 20 + Int(next(900)))
        try cache.extend(extended, for: key)
      default:
        let isAlone = next(2) == 0
        let bodies = (0..<(isAlone ? 1 : 2 + next(6))).map { _ in
          let key = isAlone ? key : "key-\(next(64))"
          let count = next(4) == 0 ? 16_000 + Int(next(40_000)) : 20 + Int(next(4000))
          let body = TortureBody.make(key: key, seed: next(1 << 30), count: count)
          let extended = next(2) == 0 ? [] : TortureBody.make(key: key, seed: 1, count: 100)
          return (body: body, extended: extended, key: key)
        }
        var failure: DiskCacheError?
        cache.store(bodies) { failure = $0 }
        if let failure { throw failure }
      }
      report(".", end: "")
    }
  }

  /// Reaches the file size limit, which fails like a full disk, with small and large bodies.
  private static func fill(_ directory: String) throws {
    let cache = try DiskCache(directory: directory)
    let kept = TortureBody.make(key: "kept", seed: 1, count: 30_000)
    try cache.store(kept, for: "kept")
    setFileSizeLimit(400_000)
    // SIGXFSZ would end the process: a large body must be refused before it is written.
    signal(SIGXFSZ, SIG_DFL)
    failToStore(cache, [UInt8](repeating: 1, count: 500_000))
    signal(SIGXFSZ, SIG_IGN)
    for count in [10_000, 500_000] {
      var failure: DiskCacheError?
      for number in 0..<1000 where failure == nil {
        do {
          try cache.store([UInt8](repeating: 1, count: count), for: "filler-\(count)-\(number)")
        } catch {
          failure = error
        }
      }
      guard case .full = failure else {
        report("bodies of \(count) bytes: \(failure.map { "\($0)" } ?? "no error")")
        exit(1)
      }
    }
    failToExtend(cache, "kept")
    let entry = try cache.entry(for: "kept")
    guard entry?.body == kept, entry?.extended == [] else {
      report("an older body was lost")
      exit(1)
    }
    setFileSizeLimit(nil)
    try cache.store(kept, for: "after")
    guard try cache.body(for: "after") == kept, try cache.verify().dropped == 0 else {
      report("it did not recover")
      exit(1)
    }
  }

  private static func failToStore(_ cache: DiskCache, _ body: [UInt8]) {
    var failure: DiskCacheError?
    do { try cache.store(body, for: "too large") } catch { failure = error }
    if case .full = failure { return }
    report("a body over the limit: \(failure.map { "\($0)" } ?? "no error")")
    exit(1)
  }

  /// Extending an entry fails too.
  private static func failToExtend(_ cache: DiskCache, _ key: String) {
    var failure: DiskCacheError?
    do {
      try cache.extend([UInt8](repeating: 2, count: 600_000), for: key)
    } catch {
      failure = error
    }
    if case .full = failure { return }
    report("extended data: \(failure.map { "\($0)" } ?? "no error")")
    exit(1)
  }

  /// Sets the limit, or lifts it when nil.
  static func setFileSizeLimit(_ bytes: rlim_t?) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = bytes ?? limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  }

  /// Writes to standard output, at once.
  static func report(_ text: String, end: String = "\n") {
    let bytes = Array((text + end).utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
  }
}
