import Glibc
import IkranStores
import Support
import Testing

/// Counts the programs started, one at a time.
let oneAtATime = Guarded(0)

/// A running program.
///
/// Foundation's `Process` leaks, and these tests also run under a leak checker.
final class RunningProgram: Sendable {
  private let process: pid_t
  private let firstLines: AsyncStream<String>
  private let outputs: AsyncStream<[UInt8]>
  private let errors: AsyncStream<[UInt8]>
  private let codes: AsyncStream<Int32>

  /// Starts `words` in `folder`, which becomes the home of its cache as well.
  init(_ words: [String], in folder: TemporaryDirectory, input: [UInt8]) throws {
    // A program started between `pipe` and `FD_CLOEXEC` would keep the pipe open.
    let (process, output, errors) = try oneAtATime.withLock { started in
      started += 1
      let inputFile = try Self.file(holding: input)
      let output = try Self.pipe()
      let errors = try Self.pipe()
      let streams = [inputFile, output.writing, errors.writing]
      let process = try Self.spawn(words, folder) { actions in
        for (number, file) in streams.enumerated() {
          posix_spawn_file_actions_adddup2(&actions, file, CInt(number))
        }
      }
      for file in streams { close(file) }
      return (process, output.reading, errors.reading)
    }
    self.process = process
    (outputs, firstLines) = Self.read(output)
    (self.errors, _) = Self.read(errors)
    let (codes, ended) = AsyncStream.makeStream(of: Int32.self)
    self.codes = codes
    BackgroundThread.start(name: "wait") {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      // As in shells: 128 plus the signal's number.
      ended.yield(status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
      ended.finish()
    }
  }

  /// Waits until it has computed for a third of a second, longer than it takes to start.
  func isBusy() async throws {
    let ticks = sysconf(Int32(_SC_CLK_TCK)) / 3
    for round in 0... {
      let text = String(
        decoding: try Files.read("/proc/\(process)/stat", maximumBytes: 4096),
        as: UTF8.self
      )
      // Fields 14 and 15 of proc(5); the name in parentheses is the second.
      let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
      if fields.count > 12, (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) >= ticks { return }
      try await poll(round)
    }
  }

  /// Sends it a signal.
  func send(_ signal: Int32) { kill(process, signal) }

  /// The first line it prints; waits until it is there.
  func firstLine() async throws -> String {
    var line: String?
    for await text in firstLines { line = text }
    return try #require(line, "The program ended without a line.")
  }

  /// Waits for its end.
  func ending() async throws -> Program.Ending {
    var output: [UInt8] = []
    var errors: [UInt8] = []
    var code: Int32?
    for await bytes in outputs { output = bytes }
    for await bytes in self.errors { errors = bytes }
    for await status in codes { code = status }
    return Program.Ending(
      code: try #require(code),
      output: output,
      errors: String(decoding: errors, as: UTF8.self)
    )
  }

  /// Reads to the end on a thread; provides the first line and, later, everything.
  private static func read(_ file: CInt) -> (all: AsyncStream<[UInt8]>, line: AsyncStream<String>) {
    let (all, end) = AsyncStream.makeStream(of: [UInt8].self)
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    BackgroundThread.start(name: "read") {
      var bytes: [UInt8] = []
      var hasLine = false
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = Glibc.read(file, &piece, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        bytes += piece.prefix(count)
        guard !hasLine, let feed = bytes.firstIndex(of: 0x0A) else { continue }
        hasLine = true
        line.yield(String(decoding: bytes[..<feed], as: UTF8.self))
        line.finish()
      }
      close(file)
      line.finish()
      end.yield(bytes)
      end.finish()
    }
    return (all, lines)
  }

  /// An open file without a name that holds `bytes` and starts at the first.
  private static func file(holding bytes: [UInt8]) throws -> CInt {
    let folder = try TemporaryDirectory()
    try Files.create(folder.path + "/input", bytes)
    let file = open(folder.path + "/input", O_RDONLY | O_CLOEXEC)
    try #require(file >= 0)
    return file
  }

  private static func pipe() throws -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [-1, -1]
    let isOpen = Glibc.pipe(&ends) == 0
    try #require(isOpen)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Starts `words` in `folder`, with more variables and flags, and the streams that `connect` adds.
  static func spawn(
    _ words: [String],
    _ folder: TemporaryDirectory,
    variables: [String] = [],
    flags: Int32 = 0,
    connect: (inout posix_spawn_file_actions_t) -> Void
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    connect(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let words = ["/usr/bin/env", "-C", folder.path] + words
    var arguments = words.map { strdup($0) } + [nil]
    let environment = environment(cache: folder.path + "/xdg") + variables
    var pointers = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + pointers { free(text) } }
    var process = pid_t()
    let code = posix_spawn(&process, words[0], &actions, &attributes, &arguments, &pointers)
    try #require(code == 0)
    return process
  }

  /// The environment of this process, with another cache folder.
  private static func environment(cache: String) -> [String] {
    func own(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    var variables = ["XDG_CACHE_HOME=\(cache)"]
    let names = [
      "PATH", "HOME", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "ASAN_SYMBOLIZER_PATH", "LSAN_OPTIONS",
    ]
    for name in names {
      if let value = own(name) { variables.append("\(name)=\(value)") }
    }
    // ThreadSanitizer sleeps a second at each exit, and these tests start hundreds of programs.
    let sanitizer = own("TSAN_OPTIONS").map { $0 + ":" } ?? ""
    return variables + ["TSAN_OPTIONS=\(sanitizer)atexit_sleep_ms=0"]
  }
}
