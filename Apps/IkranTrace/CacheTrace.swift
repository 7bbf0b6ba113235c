import IkranSystem

/// Records the look-ups of a cache in a file, from which ``PolicySimulator`` finds the best policy
/// and size.
///
/// Several processes may append to one file. Lines wait in a buffer of 64 KiB, which is written
/// when it is full, by ``flush()`` and on release. Write errors are ignored: after the first one
/// nothing more is written, and ``lost`` counts the requests. `CacheTraceFormat.swift` has the
/// format.
public final class CacheTrace: Sendable {
  /// The environment variable with the path of the trace that the command line records.
  public static let variable = "IKRAN_CACHE_TRACE"

  private static let bufferBytes = 64 << 10
  /// Longer than the longest line.
  private static let lineBytes = 96

  private struct State {
    var lines: [UInt8] = []
    var count = 0
    var lost = 0
    /// A write failed or was incomplete: a line appended to half a line would be invalid.
    var isBroken = false
  }

  private let file: AppendedFile
  private let state: Guarded<State>

  /// Opens a trace to append to it; it is created when missing, readable by its owner only.
  ///
  /// - Throws: ``CacheTraceError``, also when the file holds something else.
  public init(_ path: String) throws(CacheTraceError) {
    do throws(SystemError) {
      file = try AppendedFile(path)
    } catch {
      throw .file(error)
    }
    guard file.isNew || file.begins(with: CacheTraceFormat.headerStart) else {
      throw .badLine(path: path, line: 1, reason: "does not begin a trace")
    }
    var first = State()
    first.lines.reserveCapacity(Self.bufferBytes)
    if file.isNew { first.lines += Array(CacheTraceFormat.header.utf8) }
    state = Guarded(first)
  }

  deinit { flush() }

  /// The number of requests that could not be written.
  public var lost: Int { state.withLock { $0.lost } }

  /// Records a look-up at the present time; thread-safe.
  ///
  /// - Parameters:
  ///   - key: The value's key; its hash is written.
  ///   - bytes: The value's size in the cache.
  ///   - cost: The microseconds to compute the value again; 0 if unknown.
  public func record(key: String, bytes: Int, cost: Int = 0) {
    record(
      TraceRequest(
        time: WallClock.microseconds(),
        key: Checksum.of(key),
        bytes: bytes,
        cost: cost
      )
    )
  }

  /// Records a look-up; thread-safe.
  public func record(_ request: TraceRequest) {
    let full = state.withLock { state -> (lines: [UInt8], count: Int)? in
      CacheTraceFormat.write(request, to: &state.lines)
      state.count += 1
      return state.lines.count > Self.bufferBytes - Self.lineBytes ? Self.take(&state) : nil
    }
    if let full { write(full) }
  }

  /// Writes the buffer.
  public func flush() {
    let rest = state.withLock { Self.take(&$0) }
    write(rest)
  }

  /// Empties the buffer; the caller writes the lines outside the lock.
  private static func take(_ state: inout State) -> (lines: [UInt8], count: Int) {
    defer {
      state.lines = []
      state.lines.reserveCapacity(bufferBytes)
      state.count = 0
    }
    return (state.lines, state.count)
  }

  private func write(_ full: (lines: [UInt8], count: Int)) {
    guard !full.lines.isEmpty else { return }
    let isBroken = state.withLock { $0.isBroken }
    if !isBroken, file.append(full.lines) { return }
    state.withLock { state in
      state.isBroken = true
      state.lost += full.count
    }
  }

  /// The requests of a trace.
  ///
  /// A last line without a line feed is incomplete and left out.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - maximumBytes: A larger file is refused; reading takes about twice its size in memory.
  /// - Returns: The requests of all processes, in the order of time.
  /// - Throws: ``CacheTraceError``, which names the first invalid line.
  public static func requests(
    at path: String,
    maximumBytes: Int = 256 << 20
  ) throws(CacheTraceError) -> [TraceRequest] {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try Files.read(path, maximumBytes: maximumBytes)
    } catch {
      throw .file(error)
    }
    var requests: [TraceRequest] = []
    var rest = bytes[...]
    var number = 0
    while let end = rest.firstIndex(of: 0x0A) {
      let line = rest[..<end]
      rest = rest[(end + 1)...]
      number += 1
      switch CacheTraceFormat.read(line) {
      case .request(let request): requests.append(request)
      case .nothing: break
      case .otherVersion: throw .unknownVersion(path: path)
      case .bad(let reason): throw .badLine(path: path, line: number, reason: reason)
      }
    }
    // Each process writes its lines in blocks.
    return requests.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }
}
