import Glibc
import IkranStores
import Support
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PartialBodiesTests {
  private let folder: TemporaryDirectory
  private let body = PartialBody(validator: "\"a b\"", total: 9, bytes: [1, 10, 3])

  init() throws { folder = try TemporaryDirectory() }

  private var directory: String { folder.path + "/partial" }

  @Test(arguments: [true, false])
  func aStoredBodyIsFound(onDisk: Bool) throws {
    let bodies = PartialBodies(directory: onDisk ? directory : nil)
    #expect(bodies.body(for: "k") == nil)
    try bodies.keep(body, for: "k")
    #expect(bodies.body(for: "k") == body)
    #expect(bodies.body(for: "other") == nil)
    let newer = PartialBody(validator: "Sun, 06 Nov 1994 08:49:37 GMT", total: nil, bytes: [7])
    try bodies.keep(newer, for: "k")
    #expect(bodies.body(for: "k") == newer)
    bodies.remove("k")
    #expect(bodies.body(for: "k") == nil)
  }

  /// Compares random calls with the simplest list that does the same.
  @Test func inMemoryTheOldestOfManyBodiesAreDroppedFirst() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let time = Guarded(1_000)
    let bodies = PartialBodies(directory: nil, byteLimit: 5_000, maximumAge: 50) {
      time.withLock { $0 }
    }
    var list: [(key: String, count: Int, time: Int)] = []
    for _ in 0..<3_000 {
      let (key, now) = ("\(Int.random(in: 0..<30, using: &random))", time.withLock { $0 })
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        bodies.remove(key)
        list.removeAll { $0.key == key }
      case 1: time.withLock { $0 += Int.random(in: 0...20, using: &random) }
      case 2:
        bodies.trimMemory(toBytes: 2_000)
        while list.reduce(0, { $0 + $1.count }) > 2_000 { list.removeFirst() }
      default:
        let count = Int.random(in: 1...900, using: &random)
        let bytes = [UInt8](repeating: 1, count: count)
        try bodies.keep(PartialBody(validator: "\"1\"", total: nil, bytes: bytes), for: key)
        list.removeAll { $0.key == key || now - $0.time > 50 }
        list.append((key, count, now))
        while list.reduce(0, { $0 + $1.count }) > 5_000 { list.removeFirst() }
      }
      let later = time.withLock { $0 }
      list.removeAll { later - $0.time > 50 }
      let statistics = bodies.memoryStatistics
      try #require(statistics.count == list.count, "seed \(seed)")
      try #require(statistics.byteCount == list.reduce(0) { $0 + $1.count }, "seed \(seed)")
      let found = bodies.body(for: key)?.bytes.count
      try #require(found == list.last { $0.key == key }?.count, "seed \(seed)")
    }
  }

  @Test func anotherInstanceFindsIt() throws {
    try PartialBodies(directory: directory).keep(body, for: "k")
    #expect(PartialBodies(directory: directory).body(for: "k") == body)
    #expect(Files.permissions("\(directory)/\(try Files.list(directory)[0])") == 0o600)
  }

  @Test func aDamagedFileIsAMiss() throws {
    let bodies = PartialBodies(directory: directory)
    try bodies.keep(body, for: "k")
    let path = "\(directory)/\(try Files.list(directory)[0])"
    let bytes = try Files.read(path)
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 4
      for file in [damaged, Array(bytes[..<index])] {
        try Files.remove(path)
        try Files.create(path, file)
        #expect(bodies.body(for: "k") == nil)
      }
    }
  }

  @Test func theFileOfAnotherKeyIsAMiss() throws {
    let bodies = PartialBodies(directory: directory)
    try bodies.keep(body, for: "k")
    let first = try Files.list(directory)[0]
    try bodies.keep(body, for: "l")
    let second = try #require(try Files.list(directory).first { $0 != first })
    try Files.rename("\(directory)/\(first)", to: "\(directory)/\(second)")
    #expect(bodies.body(for: "l") == nil)
  }

  @Test func theBytesAreBounded() throws {
    let bodies = PartialBodies(directory: directory, byteLimit: 1000)
    for number in 0..<20 {
      let body = PartialBody(validator: "\"1\"", total: nil, bytes: Array(repeating: 1, count: 200))
      try bodies.keep(body, for: "\(number)")
    }
    let sizes = try Files.list(directory).compactMap { Files.size("\(directory)/\($0)") }
    #expect(sizes.reduce(0, +) <= 1000)
    let large = PartialBody(validator: "\"1\"", total: nil, bytes: Array(repeating: 1, count: 1001))
    try bodies.keep(large, for: "0")
    #expect(bodies.body(for: "0") == nil)
  }

  @Test func theFolderIsScannedAgainAfterAnEighthOfTheLimitOnly() throws {
    let bodies = PartialBodies(directory: directory, byteLimit: 80_000)
    let body = PartialBody(validator: "\"1\"", total: nil, bytes: Array(repeating: 1, count: 900))
    try bodies.keep(body, for: "first")
    let size = try #require(Files.size("\(directory)/\(try Files.list(directory)[0])"))
    // What a process left that has ended: a scan removes it.
    let old = "\(directory)/x.part.1.tmp"
    try Files.create(old, [1])
    let times = [timespec(tv_sec: time(nil) - 100_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, old, times + times, 0) == 0)
    for number in 0..<10_000 / size { try bodies.keep(body, for: "\(number)") }
    #expect(Files.exists(old))
    try bodies.keep(body, for: "last")
    #expect(!Files.exists(old))
  }

  @Test func twoProcessesTogetherKeepTheLimit() throws {
    let processes = [0, 1].map { _ in PartialBodies(directory: directory, byteLimit: 20_000) }
    let body = PartialBody(validator: "\"1\"", total: nil, bytes: Array(repeating: 1, count: 300))
    for number in 0..<200 {
      // One stores for a while, then the other, then both.
      let turn = number < 50 ? 0 : number < 100 ? 1 : number % 2
      try processes[turn].keep(body, for: "\(number)")
      #expect(processes[0].statistics.byteCount <= 20_000)
    }
    #expect(processes[0].statistics.count > 30)
    #expect(processes[1].body(for: "199") == body)
  }

  @Test func aBodyAsLargeAsTheLimitTakesThePlaceOfAllOthers() throws {
    let bodies = PartialBodies(directory: directory, byteLimit: 2_000)
    try bodies.keep(body, for: "k")
    let bytes = Array(repeating: UInt8(1), count: 1_900)
    let large = PartialBody(validator: "\"1\"", total: nil, bytes: bytes)
    try bodies.keep(large, for: "large")
    #expect(bodies.body(for: "large") == large)
    #expect(bodies.body(for: "k") == nil)
  }

  @Test func aBodyWithATimeInTheFutureIsRemoved() throws {
    let bodies = PartialBodies(directory: directory, byteLimit: 700)
    let body = PartialBody(validator: "\"1\"", total: nil, bytes: Array(repeating: 1, count: 400))
    try bodies.keep(body, for: "future")
    let path = "\(directory)/\(try Files.list(directory)[0])"
    let times = [timespec(tv_sec: time(nil) + 9999, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path, times + times, 0) == 0)
    try bodies.keep(body, for: "k")
    #expect(bodies.body(for: "k") == body)
    #expect(!Files.exists(path))
  }

  @Test func anExpiredBodyIsAMiss() throws {
    try PartialBodies(directory: directory).keep(body, for: "k")
    #expect(PartialBodies(directory: directory, maximumAge: -1).body(for: "k") == nil)
  }

  @Test func aFolderThatCannotBeMadeIsReported() {
    let bodies = PartialBodies(directory: "/proc/none/partial")
    #expect(throws: DiskCacheError.self) { try bodies.keep(body, for: "k") }
    #expect(bodies.body(for: "k") == nil)
  }

  @Test func statisticsCountTheFolder() throws {
    let bodies = PartialBodies(directory: directory)
    #expect(bodies.statistics.count == 0)
    for key in ["k", "l"] { try bodies.keep(body, for: key) }
    // A temporary file of a process that has ended counts too.
    try Files.create("\(directory)/x.part.1.tmp", Array(repeating: 0, count: 100))
    try Files.create("\(directory)/notes.txt", [1])
    let sizes = try Files.list(directory).compactMap { Files.size("\(directory)/\($0)") }
    let total = sizes.reduce(0, +) - 1
    #expect(bodies.statistics.count == 2)
    #expect(bodies.statistics.byteCount == total)
  }

  @Test func trimmingRemovesTheOldest() throws {
    let bodies = PartialBodies(directory: directory)
    let body = PartialBody(validator: "\"1\"", total: nil, bytes: Array(repeating: 1, count: 400))
    for (number, key) in ["old", "new"].enumerated() {
      try bodies.keep(body, for: key)
      let path = "\(directory)/\(PartialBodies.name(of: key)).part"
      let times = [timespec(tv_sec: time(nil) - 100 + 10 * number, tv_nsec: 0)]
      #expect(utimensat(AT_FDCWD, path, times + times, 0) == 0)
    }
    #expect(bodies.trim(toBytes: 700) == 1)
    #expect(bodies.body(for: "old") == nil)
    #expect(bodies.body(for: "new") == body)
    #expect(bodies.trim(toBytes: 0) == 1)
    #expect(bodies.statistics.byteCount == 0)
  }

  @Test func damagedBodiesAreFoundAndRemoved() throws {
    let bodies = PartialBodies(directory: directory)
    for key in ["k", "l", "m"] { try bodies.keep(body, for: key) }
    let path = "\(directory)/\(PartialBodies.name(of: "l")).part"
    let bytes = try Files.read(path)
    try Files.remove(path)
    try Files.create(path, Array(bytes.dropLast()))
    let found = bodies.verify()
    #expect(found.checked == 3)
    #expect(found.dropped == 1)
    #expect(!Files.exists(path))
    #expect(bodies.verify().dropped == 0)
    #expect(bodies.body(for: "k") == body)
  }
}
