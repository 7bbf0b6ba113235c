import CPeers
import Glibc
import Ikran
import IkranStores

/// Two processes that read from one table at once, or write to it, against one.
struct TableProcessBenchmarks {
  private static let rounds = 31
  /// The first argument that makes this program a reader.
  static let argument = "table-reader"

  /// What a reader does, and how often in one round.
  private struct Job {
    let name: String
    let line: String
  }

  /// Compares the throughput of both with that of one alone.
  func run(_ name: String, _ stores: TableStores, into report: inout Report) throws {
    let program = CommandLine.arguments.first ?? ""
    let readers = (1...2).compactMap { seed in
      Child([program, Self.argument, stores.folder.subfolder("table"), "\(seed)"])
    }
    guard readers.count == 2 else {
      report.note("\(name): \(program) does not start again, not measured")
      return
    }
    // Plain memory shows the capacity of the machine for a second process at this moment.
    let read = try gain(Job(name: "read", line: "read 4000"), readers)
    let memory = try gain(Job(name: "memory", line: "memory 4000"), readers)
    let get = try gain(Job(name: "get", line: "get 100000"), readers)
    let put = try gain(Job(name: "put", line: "put 1000"), readers)
    report.add(
      name,
      value: read,
      unit: "× one process",
      peer: "plain memory each",
      ratio: memory / read
    )
    report.add("\(name).get", value: get, unit: "× one process")
    report.add("\(name).put", value: put, unit: "× one process")
  }

  /// The throughput of two processes relative to one.
  private func gain(_ job: Job, _ readers: [Child]) throws -> Double {
    var gains: [Double] = []
    for round in 0..<Self.rounds + 2 {
      let alone = try readers[round % 2].numbers(job.line)
      let together = try Pair(readers, job.line).run()
      guard let alone = alone.first, alone > 0, let slower = together.max(), slower > 0 else {
        throw PeerEnded()
      }
      if round >= 2 { gains.append(2 * alone / slower) }
    }
    return Measurement(name: job.name, samples: gains).median
  }

  /// Two concurrent queries.
  private final class Pair: @unchecked Sendable {  // each thread has its own child and element
    private let readers: [Child]
    private let line: String
    private let times = UnsafeMutableBufferPointer<Double>.allocate(capacity: 2)

    init(_ readers: [Child], _ line: String) {
      self.readers = readers
      self.line = line
      times.initialize(repeating: 0)
    }

    deinit { times.deallocate() }

    func run() throws(PeerEnded) -> [Double] {
      let ran = peers_in_parallel(
        2,
        { context, index in
          guard let context else { return }
          Unmanaged<Pair>.fromOpaque(context).takeUnretainedValue().ask(Int(index))
        },
        Unmanaged.passUnretained(self).toOpaque()
      )
      guard ran, !times.contains(0) else { throw PeerEnded() }
      return Array(times)
    }

    private func ask(_ index: Int) {
      times[index] = (try? readers[index].numbers(line))?.first ?? 0
    }
  }

  // MARK: - In the other process

  /// Answers each line "read COUNT", "get COUNT", "put COUNT" or "memory COUNT" with the nanoseconds it
  /// took.
  static func respond(folder: String, seed: UInt64) throws {
    let table = try ImageTable(at: folder, format: TableStores.format())
    let bytes = TablePictures.count * TablePictures.byteCount
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 4096)
    memory.initializeMemory(as: UInt8.self, repeating: 1, count: bytes)
    var order = RandomOrder(of: TablePictures.count, seed: seed)
    let read = TableCalls.contender("read", table, order, reading: true)
    let get = TableCalls.contender("get", table, order, reading: false)
    // One that was never synchronized: in the other one a replaced picture waits for `fdatasync`.
    let full = try ImageTable(at: "\(folder)-full", format: TableStores.format(count: 1000))
    let picture = try Canvas(size: TablePictures.size, format: .bgra).finish()
    while let line = readLine() {
      let words = line.split(separator: " ")
      guard words.count == 2, let count = Int(words[1]) else { return }
      let time: Double
      switch words[0] {
      case "read": time = try read.batch(count)
      case "get": time = try get.batch(count)
      case "put": time = try put(full, picture, &order, count)
      default: time = sum(memory, &order, count)
      }
      print(Int(time))
      fflush(nil)
    }
  }

  /// Puts pictures into a table that has room for a tenth of them.
  private static func put(
    _ table: ImageTable,
    _ picture: Bitmap,
    _ order: inout RandomOrder,
    _ count: Int
  ) throws -> Double {
    let ids = order.tableIDs
    let version = TableID("2")
    let began = peers_nanoseconds()
    try order.advance(count) { range in
      for place in range { try table.put(ids[place], version: version, picture) }
    }
    return Double(peers_nanoseconds() - began)
  }

  @inline(never)
  private static func sum(
    _ memory: UnsafeMutableRawPointer,
    _ order: inout RandomOrder,
    _ count: Int
  ) -> Double {
    var sum: UInt64 = 0
    let began = peers_nanoseconds()
    let indices = order.indices
    order.advance(count) { range in
      for place in range {
        let start = memory + indices[place] * TablePictures.byteCount
        sum &+= peers_sum(start, TablePictures.byteCount)
      }
    }
    let time = Double(peers_nanoseconds() - began)
    withUnsafePointer(to: sum) { peers_consume($0) }
    return time
  }
}
