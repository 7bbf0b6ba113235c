import Glibc
import IkranStores

/// What a child process does with a disk cache on a small disk, and in a fork.
enum DiskTorture {
  private static let small = (0..<40).map { "small-\($0)" }
  private static let large = (0..<20).map { "large-\($0)" }

  /// Runs a command with a folder; false when there is no such command.
  static func run(_ arguments: [String]) throws -> Bool {
    guard arguments.count == 2 else { return false }
    let folder = "\(arguments[1])/cache"
    switch arguments[0] {
    case "disk-make": try make(folder)
    case "disk-read": try read(folder)
    case "disk-remove": try remove(folder)
    case "disk-trim": try trim(folder)
    case "disk-clear": try clear(folder)
    case "disk-fork": try fork(folder)
    default: return false
    }
    return true
  }

  private static func body(_ key: String) -> [UInt8] {
    TortureBody.make(key: key, seed: 5, count: key.hasPrefix("small") ? 500 : 30_000)
  }

  private static func make(_ folder: String) throws {
    let cache = try DiskCache(directory: folder)
    for key in small + large { try cache.store(body(key), for: key) }
  }

  private static func check(_ isRight: Bool, _ text: @autoclosure () -> String) {
    guard !isRight else { return }
    StoreTorture.report(text())
    exit(1)
  }

  /// Every entry is read, twice.
  private static func read(_ folder: String) throws {
    let cache = try DiskCache(directory: folder)
    for key in small + large + small {
      check(try cache.body(for: key) == body(key), "\(key) was not read")
    }
  }

  /// No wrong body is read, also by the next process.
  private static func verify(_ folder: String, without removed: [String]) throws {
    for _ in 0..<2 {
      let cache = try DiskCache(directory: folder)
      for key in small + large {
        let found = try cache.body(for: key)
        check(found == nil || found == body(key), "\(key) has a wrong body")
      }
      for key in removed { check(try cache.body(for: key) == nil, "\(key) is still there") }
    }
  }

  private static func remove(_ folder: String) throws {
    let cache = try DiskCache(directory: folder)
    for key in ["small-3", "large-3"] {
      try cache.remove(key)
      check(try cache.body(for: key) == nil, "\(key) was not removed")
    }
    try verify(folder, without: ["small-3", "large-3"])
  }

  private static func trim(_ folder: String) throws {
    let cache = try DiskCache(directory: folder)
    let removed = try cache.trim(toBytes: 100_000)
    check(removed > 0, "nothing was removed")
    let held = try cache.statistics.byteCount
    check(held <= 100_000, "\(held) bytes are left")
    try verify(folder, without: [])
  }

  private static func clear(_ folder: String) throws {
    let cache = try DiskCache(directory: folder)
    try cache.removeAll()
    check(try cache.keys().isEmpty, "there are entries left")
    try verify(folder, without: small + large)
  }

  /// A fork reads and stores while its parent does, also after that has closed the cache and opened
  /// it again; what both have stored is there.
  private static func fork(_ folder: String) throws {
    var cache: DiskCache? = try DiskCache(directory: folder)
    check(try cache?.body(for: "small-0") == body("small-0"), "small-0 was not read")
    var ends: [CInt] = [-1, -1]
    check(pipe(&ends) == 0, "there is no pipe")
    let child = forkProcess()
    let name = child == 0 ? "child" : "parent"
    try use(cache, name, 0..<100)
    var byte: UInt8 = 0
    if child == 0 {
      check(Glibc.read(ends[0], &byte, 1) == 1, "the parent ended")
      try use(cache, name, 100..<200)
      // Without a search for leaks: the parent's connection is left alone on purpose.
      _exit(0)
    }
    cache = nil
    cache = try DiskCache(directory: folder)
    check(Glibc.write(ends[1], &byte, 1) == 1, "the fork ended")
    try use(cache, name, 100..<200)
    var status: CInt = 0
    waitpid(child, &status, 0)
    check(status == 0, "the fork ended with \(status)")
    let opened = try DiskCache(directory: folder)
    for key in ["child", "parent"].flatMap({ name in (0..<200).map { "\(name)-\($0)" } }) {
      check(try opened.body(for: key) == body(key), "\(key) was lost")
    }
    check(try opened.verify().dropped == 0, "entries were dropped")
    check(try opened.statistics.rebuilds == 0, "the index was damaged")
  }

  private static func use(_ cache: DiskCache?, _ name: String, _ rounds: Range<Int>) throws {
    for round in rounds {
      let key = "\(name)-\(round)"
      try cache?.store(body(key), for: key)
      check(try cache?.body(for: key) == body(key), "\(key) was not read")
      check(try cache?.body(for: "large-1") == body("large-1"), "\(name): large-1 was not read")
    }
  }

  /// Swift does not import `fork`.
  private static func forkProcess() -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(nil, "fork") else { exit(2) }
    return unsafeBitCast(symbol, to: Fork.self)()
  }
}
