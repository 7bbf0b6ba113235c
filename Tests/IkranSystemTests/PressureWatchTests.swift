import Glibc
import IkranSystem
import TestBasics
import Testing

@Suite("Memory pressure", .timeLimit(.minutes(10)))
struct PressureWatchTests {
  private let folder: TemporaryDirectory
  private let told = Recorder<MemoryPressure>()

  init() throws { folder = try TemporaryDirectory() }

  private func write(_ text: String, _ name: String) throws {
    _ = try Files.remove(folder.path + "/" + name)
    try Files.create(folder.path + "/" + name, Array(text.utf8))
  }

  /// A file that stands for the kernel's.
  private func watch(stall: Bool) -> PressureWatch {
    let stall = stall ? folder.path + "/stall" : nil
    return PressureWatch(PressurePaths(stall: stall, group: folder.path)) { [told] in told.add($0)
    }
  }

  @Test(
    arguments: [
      (0.0, 0.0, nil), (9.99, 9.99, nil), (10, 0, .warning), (50, 9, .warning), (50, 10, .critical),
    ] as [(Double, Double, MemoryPressure?)]
  )
  func stallsAreClassifiedByTheirShareOfTheTime(
    some: Double,
    full: Double,
    expected: MemoryPressure?
  ) throws {
    let watch = watch(stall: true)
    // The watch may write its trigger to the file, which the gauge would read.
    try write(
      "some avg10=\(some) avg60=90.00 avg300=90.00 total=1\n"
        + "full avg10=\(full) avg60=90.00 avg300=90.00 total=1\n",
      "stall"
    )
    #expect(watch.check() == expected)
    #expect(told.items == [expected].compactMap(\.self))
  }

  @Test(
    arguments: [(2001, nil), (2000, .warning), (0, .warning), (nil, .warning)]
      as [(Int?, MemoryPressure?)]
  )
  func stallsAreIgnoredWhileMemoryIsAvailable(
    available: Int?,
    expected: MemoryPressure?
  ) throws {
    let available = available.map { "MemAvailable:    \($0) kB\n" } ?? ""
    try write("MemTotal:       10000 kB\nMemFree:          10 kB\n\(available)", "meminfo")
    let paths = PressurePaths(
      stall: folder.path + "/stall",
      group: folder.path,
      memory: folder.path + "/meminfo"
    )
    let watch = PressureWatch(paths) { [told] in told.add($0) }
    try write("some avg10=50.00 avg60=0.00 avg300=0.00 total=1\n", "stall")
    #expect(watch.check() == expected)
    // A group near its limit has stalls even if the machine has memory.
    try write("1000000\n", "memory.max")
    try write("900000\n", "memory.current")
    #expect(watch.check() == .warning)
  }

  @Test(
    arguments: [
      ("max", "1000000", 849_999, nil), ("max", "1000000", 850_000, .warning),
      ("max", "1000000", 950_000, .critical), ("1000000", "max", 850_000, .warning),
      ("max", "max", 1 << 40, nil), ("1000", "0", 999_999, nil),
      ("what", "9999999999999999999999", 5, nil),
    ] as [(String, String, Int, MemoryPressure?)]
  )
  func aGroupIsComparedWithItsLimit(
    high: String,
    max: String,
    current: Int,
    expected: MemoryPressure?
  ) throws {
    try write("\(high)\n", "memory.high")
    try write("\(max)\n", "memory.max")
    // Cached files can be dropped and read again.
    try write("anon 5\ninactive_file 60000\nactive_file 40000\n", "memory.stat")
    try write("\(current + 100_000)\n", "memory.current")
    #expect(watch(stall: false).check() == expected)
  }

  @Test func eventsOfTheLimitsAreReportedOnce() throws {
    try write("low 0\nhigh 5\nmax 1\noom 0\n", "memory.events")
    let watch = watch(stall: false)
    #expect(watch.isWatching)
    #expect(watch.check() == nil)
    try write("low 0\nhigh 6\nmax 1\noom 0\n", "memory.events")
    #expect(watch.check() == .warning)
    #expect(watch.check() == nil)
    try write("low 0\nhigh 7\nmax 2\noom 0\n", "memory.events")
    #expect(watch.check() == .critical)
    #expect(told.items == [.warning, .critical])
  }

  /// The file cache of a program that reads many files reaches the limit all the time.
  @Test(
    arguments: [
      (2001, 849_999, nil), (2000, 849_999, .critical), (2001, 850_000, .critical),
      (nil, 849_999, .critical), (2001, nil, .critical),
    ] as [(Int?, Int?, MemoryPressure?)]
  )
  func eventsCausedByCachedFilesAreIgnored(
    available: Int?,
    taken: Int?,
    expected: MemoryPressure?
  ) throws {
    let available = available.map { "MemAvailable: \($0) kB\n" } ?? ""
    try write("MemTotal: 10000 kB\n\(available)", "meminfo")
    try write("1000000\n", "memory.max")
    if let taken {
      try write("inactive_file 50000\nactive_file 70000\n", "memory.stat")
      try write("\(taken + 120_000)\n", "memory.current")
    }
    try write("high 0\nmax 1\n", "memory.events")
    let paths = PressurePaths(
      stall: nil,
      group: folder.path,
      memory: folder.path + "/meminfo"
    )
    let watch = PressureWatch(paths) { [told] in told.add($0) }
    try write("high 0\nmax 2\n", "memory.events")
    #expect(watch.check() == expected)
    // Ignored events are not reported later.
    try write("MemTotal: 10000 kB\n", "meminfo")
    try write("0\n", "memory.current")
    #expect(watch.check() == nil)
  }

  @Test func withoutFilesToWatchItDoesNothing() {
    let paths = PressurePaths(stall: folder.path + "/none", group: folder.path + "/none")
    let watch = PressureWatch(paths) { [told] in told.add($0) }
    #expect(!watch.isWatching)
    #expect(watch.check() == nil)
    #expect(!PressureWatch(PressurePaths(stall: nil, group: nil)) { _ in }.isWatching)
  }

  /// A connection whose one end sends out-of-band data, which `poll` reports as `POLLPRI`.
  private static func urgentPair() throws -> (sender: CInt, receiver: CInt) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return try withUnsafeMutablePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        try #require(bind(listener, address, size) == 0)
        try #require(listen(listener, 1) == 0)
        try #require(getsockname(listener, address, &size) == 0)
        let sender = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(connect(sender, address, size) == 0)
        return (sender, accept(listener, nil, nil))
      }
    }
  }

  @Test func theKernelWakesTheThreadAndStopEndsIt() async throws {
    let pair = try Self.urgentPair()
    defer { close(pair.sender) }
    let told = told
    let alarm = try #require(
      PressureAlarm([(pair.receiver, .critical)]) { level in level.map { told.add($0) } }
    )
    #expect(send(pair.sender, "!", 1, Int32(MSG_OOB)) == 1)
    try await until { !told.items.isEmpty }
    #expect(told.items.first == .critical)
    alarm.stop()
    // The thread closes its file when it ends, which the other end sees.
    var byte: UInt8 = 0
    #expect(recv(pair.sender, &byte, 1, 0) <= 0)
  }

  @Test func withoutSourcesThereIsNoThread() {
    #expect(PressureAlarm([]) { _ in } == nil)
  }
}
