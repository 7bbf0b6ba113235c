import Glibc
import IkranStores

/// A program for the tests to kill: it uses a disk cache or an image table at full speed.
///
/// Usage: `StoreTorture write DIR SEED OPERATIONS` or `StoreTorture full DIR`, or a command of
/// `TableTorture`. It writes a byte to standard output after each operation. Exit codes: 0 done, 1 a
/// wrong body or picture was read or an error was not the expected one, 2 wrong use.
@main
enum StoreTorture {
  static func main() {
    let arguments = CommandLine.arguments
    do {
      switch (arguments.dropFirst().first, arguments.count) {
      case ("write", 5):
        guard let seed = UInt64(arguments[3]), let count = Int(arguments[4]) else { exit(2) }
        try write(to: arguments[2], seed: seed, operations: count)
      case ("full", 3):
        try fill(arguments[2])
      default:
        try TableTorture.run(Array(arguments.dropFirst()))
      }
    } catch {
      report("\(error)")
      exit(1)
    }
  }

  /// Stores, reads and removes at random.
  private static func write(to directory: String, seed: UInt64, operations: Int) throws {
    let options = DiskCacheOptions(byteLimit: 1 << 20, countLimit: 200)
    let cache = try DiskCache(directory: directory, options: options)
    var random = seed
    func next(_ bound: UInt64) -> UInt64 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (random >> 33) % bound
    }
    for _ in 0..<operations {
      let key = "key-\(next(64))"
      switch next(10) {
      case 0: try cache.remove(key)
      case 1, 2:
        if let body = try cache.body(for: key), !TortureBody.isRight(body, for: key) {
          report("a wrong body under \(key)")
          exit(1)
        }
      default:
        let count = next(4) == 0 ? 16_000 + Int(next(40_000)) : 20 + Int(next(4000))
        try cache.store(TortureBody.make(key: key, seed: next(1 << 30), count: count), for: key)
      }
      report(".", end: "")
    }
  }

  /// Runs into the file size limit, the same way a full disk answers, with small and large bodies.
  private static func fill(_ directory: String) throws {
    let cache = try DiskCache(directory: directory)
    let kept = TortureBody.make(key: "kept", seed: 1, count: 30_000)
    try cache.store(kept, for: "kept")
    signal(SIGXFSZ, SIG_IGN)
    setFileSizeLimit(400_000)
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
    guard try cache.body(for: "kept") == kept else {
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
