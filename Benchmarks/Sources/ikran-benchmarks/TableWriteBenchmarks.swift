import CPeers
import Glibc
import Ikran
import IkranStores

/// Pictures put into stores: written by the kernel later, or durable before the next.
struct TableWriteBenchmarks {
  private static let rounds = 31
  private static let warmUps = 2
  private let pictures: TablePictures
  private let version = TableID("1")

  /// Puts these pictures.
  init(_ pictures: TablePictures) { self.pictures = pictures }

  // MARK: - Without waiting for the disk

  /// 500 new pictures a round; LMDB and SQLite get them in one transaction, or in one each.
  func put(_ name: String, into report: inout Report) throws {
    let batch = 500
    // Before each round, not before each batch: half a gigabyte takes longer than all of them.
    report.note("\(name): \(batch) new pictures a round, memory fetched from the host before it")
    let folder = try TemporaryFolder()
    let count = (Self.rounds + Self.warmUps) * batch
    var writers = [try writer("Ikran", in: folder.path, count: count, batch)]
    for (kind, isSplit) in [
      (peers_lmdb, false), (peers_lmdb, true), (peers_sqlite, false), (peers_raw, false),
    ] {
      let place = folder.subfolder("\(kind.rawValue)\(isSplit)")
      guard let peer = PeerStore(kind, in: place) else { continue }
      writers.append(writer(peer, batch, isSplit: isSplit))
    }
    writers.append(try plainWriter(in: folder, "grown", count: .max, batch))
    let times = try rounds(writers, batch) { peers_warm_memory(768 << 20) }
    report.add(name, times, unit: "µs", scale: 1e-3)
    report.add("\(name).rate", value: 1e9 / times[0].median, unit: "images/s")
    try putFull("\(name).full", in: folder, batch, into: &report)
    try putPNG("\(name).png", in: folder.subfolder("png"), times[0].median, into: &report)
  }

  /// Into a table at its limit, where each picture evicts another one.
  ///
  /// The peers, which evict nothing by themselves, replace as many as they have. No file grows.
  private func putFull(
    _ name: String,
    in folder: TemporaryFolder,
    _ batch: Int,
    into report: inout Report
  ) throws {
    let count = 2 * batch
    var writers = [
      try writer("Ikran", in: folder.subfolder("full"), count: count, batch),
      try batchWriter("Ikran, all at once", in: folder.subfolder("batch"), count: count, batch),
    ]
    for (kind, isSplit) in [
      (peers_lmdb, false), (peers_lmdb, true), (peers_sqlite, false), (peers_raw, false),
    ] {
      let place = folder.subfolder("full\(kind.rawValue)\(isSplit)")
      guard let peer = PeerStore(kind, in: place) else { continue }
      let growing = writer(peer, batch, isSplit: isSplit)
      writers.append(Writer(name: growing.name) { try growing.put($0 % count) })
    }
    writers.append(try plainWriter(in: folder, "replaced", count: count, batch))
    for writer in writers { for round in 0..<2 { try writer.put(round * batch) } }
    let times = try rounds(writers, batch, from: count) {}
    report.add(name, times, unit: "µs", scale: 1e-3)
    report.add("\(name).rate", value: 1e9 / times[0].median, unit: "images/s")
  }

  /// PNG is so much slower that a few pictures are enough.
  private func putPNG(
    _ name: String,
    in folder: String,
    _ own: Double,
    into report: inout Report
  ) throws {
    guard let peer = PeerStore(peers_png, in: folder) else { return }
    let times = try rounds([writer(peer, 4, isSplit: false)], 4) {}
    report.add(
      name,
      value: own * 1e-3,
      unit: "µs",
      peer: peer.name,
      ratio: times[0].median / own
    )
  }

  /// Puts a round's pictures, beginning with that of a number.
  private struct Writer {
    let name: String
    let put: (_ first: Int) throws -> Void
  }

  private func writer(
    _ name: String,
    in folder: String,
    count: Int,
    _ batch: Int
  ) throws -> Writer {
    let table = try ImageTable(at: folder, format: TableStores.format(count: count))
    return Writer(name: name) { first in
      for index in first..<first + batch {
        try table.put(PictureIDs.table(index), version: version, try pictures.bitmap(index))
      }
    }
  }

  /// A round's pictures in one call.
  private func batchWriter(
    _ name: String,
    in folder: String,
    count: Int,
    _ batch: Int
  ) throws -> Writer {
    let table = try ImageTable(at: folder, format: TableStores.format(count: count))
    return Writer(name: name) { first in
      try table.put(
        try (first..<first + batch).map { index in
          (id: PictureIDs.table(index), version: version, image: try pictures.bitmap(index))
        }
      )
    }
  }

  private func writer(_ peer: PeerStore, _ batch: Int, isSplit: Bool) -> Writer {
    Writer(name: isSplit ? "\(peer.name), txn each" : peer.name) { first in
      let ids = (first..<first + batch).map(PictureIDs.peer)
      let start = first % TablePictures.count
      for index in stride(from: 0, to: batch, by: isSplit ? 1 : batch) {
        let pixels = pictures.pixels + (start + index) * TablePictures.byteCount
        try peer.put(ids[index..<(isSplit ? index + 1 : batch)], pixels)
      }
    }
  }

  /// One system call per picture, and nothing else: the minimum of any store.
  private func plainWriter(
    in folder: TemporaryFolder,
    _ name: String,
    count: Int,
    _ batch: Int
  ) throws -> Writer {
    let file = try PlainFile("\(folder.path)/\(name)")
    let pixels = pictures.pixels
    return Writer(name: "one write") { first in
      for index in first..<first + batch {
        let picture = pixels + index % TablePictures.count * TablePictures.byteCount
        try file.write(picture, at: index % count)
      }
    }
  }

  /// One batch of each writer in turn; times are a picture.
  private func rounds(
    _ writers: [Writer],
    _ batch: Int,
    from first: Int = 0,
    prepare: () -> Void
  ) throws -> [Measurement] {
    var times = [[Double]](repeating: [], count: writers.count)
    for round in 0..<Self.rounds + Self.warmUps {
      prepare()
      for (index, writer) in writers.enumerated() {
        let began = peers_nanoseconds()
        try writer.put(first + round * batch)
        let time = Double(peers_nanoseconds() - began) / Double(batch)
        if round >= Self.warmUps { times[index].append(time) }
      }
    }
    return zip(writers, times).map { Measurement(name: $0.name, samples: $1) }
  }

  // MARK: - Waiting for the disk

  /// Eight threads, each of which waits until its picture would survive a power loss: new pictures
  /// in files that grow, then the same few again and again in files that do not.
  func putDurably(_ name: String, into report: inout Report) throws {
    try putDurably(name, pictures: (Self.rounds + Self.warmUps) * 64, into: &report)
    try putDurably("\(name).again", pictures: Self.warmUps * 64, into: &report)
    try putTogether("\(name).group", batch: 250, into: &report)
  }

  /// Many pictures, then one wait for all of them; in files that do not grow.
  private func putTogether(_ name: String, batch: Int, into report: inout Report) throws {
    let count = 2 * batch
    let folder = try TemporaryFolder()
    let table = try ImageTable(at: folder.path, format: TableStores.format(count: count))
    var writers = [
      Writer(name: "Ikran") { first in
        for index in first..<first + batch {
          let id = PictureIDs.table(index % count)
          try table.put(id, version: version, try pictures.bitmap(index))
        }
        try table.synchronize()
      }
    ]
    for kind in [peers_sqlite, peers_lmdb] {
      let place = folder.subfolder("\(kind.rawValue)")
      guard let peer = PeerStore(kind, in: place, durability: peers_grouped) else { continue }
      let growing = writer(peer, batch, isSplit: false)
      writers.append(Writer(name: growing.name) { try growing.put($0 % count) })
    }
    for writer in writers { for round in 0..<2 { try writer.put(round * batch) } }
    let times = try rounds(writers, batch, from: count) {}
    report.add(name, times, unit: "µs", scale: 1e-3)
  }

  private func putDurably(
    _ name: String,
    pictures count: Int,
    into report: inout Report
  ) throws {
    let (threads, each) = (8, 8)
    let folder = try TemporaryFolder()
    let table = try ImageTable(at: folder.path, format: TableStores.format(count: count))
    let pictures = pictures
    let version = version
    var writers = [
      DurableWriter(name: "Ikran") { index in
        try table.put(PictureIDs.table(index), version: version, try pictures.bitmap(index))
        try table.synchronize()
      }
    ]
    for kind in [peers_sqlite, peers_lmdb, peers_raw] {
      let place = folder.subfolder("\(kind.rawValue)")
      guard let peer = PeerStore(kind, in: place, durability: peers_synced) else { continue }
      writers.append(
        DurableWriter(name: peer.name) { index in
          let pixels = pictures.pixels + index % TablePictures.count * TablePictures.byteCount
          try peer.put([PictureIDs.peer(index)], pixels)
        }
      )
    }
    var times = [[Double]](repeating: [], count: writers.count)
    for round in 0..<Self.rounds + Self.warmUps {
      for (index, writer) in writers.enumerated() {
        let first = round * threads * each % count
        let time = try writer.put(first, threads: threads, each: each)
        if round >= Self.warmUps { times[index].append(time / Double(threads * each)) }
      }
    }
    let measurements = zip(writers, times).map { Measurement(name: $0.name, samples: $1) }
    report.add(name, measurements, unit: "µs", scale: 1e-3)
  }
}

/// What each of several threads does with each of its pictures.
private final class DurableWriter: Sendable {
  let name: String
  private let putOne: @Sendable (Int) throws -> Void

  init(name: String, putOne: @escaping @Sendable (Int) throws -> Void) {
    self.name = name
    self.putOne = putOne
  }

  /// The nanoseconds until all threads have put theirs.
  func put(_ first: Int, threads: Int, each: Int) throws -> Double {
    let job = Job(self, first, each)
    let began = peers_nanoseconds()
    let ran = withExtendedLifetime(job) {
      peers_in_parallel(
        Int32(threads),
        { context, thread in
          guard let context else { return }
          Unmanaged<Job>.fromOpaque(context).takeUnretainedValue().run(Int(thread))
        },
        Unmanaged.passUnretained(job).toOpaque()
      )
    }
    let time = Double(peers_nanoseconds() - began)
    guard ran, !job.hasFailed else { throw StoreFailed(name: name) }
    return time
  }

  private final class Job: @unchecked Sendable {  // each thread writes its own element only
    private let writer: DurableWriter
    private let first: Int
    private let each: Int
    private let failures = UnsafeMutableBufferPointer<Bool>.allocate(capacity: 16)

    init(_ writer: DurableWriter, _ first: Int, _ each: Int) {
      self.writer = writer
      self.first = first
      self.each = each
      failures.initialize(repeating: false)
    }

    deinit { failures.deallocate() }

    var hasFailed: Bool { failures.contains(true) }

    func run(_ thread: Int) {
      do {
        for index in 0..<each { try writer.putOne(first + thread * each + index) }
      } catch {
        failures[thread] = true
      }
    }
  }
}

/// Consecutive pictures.
private final class PlainFile {
  private let descriptor: Int32

  init(_ path: String) throws(StoreFailed) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreFailed(name: path) }
  }

  deinit { close(descriptor) }

  func write(_ pixels: UnsafePointer<UInt8>, at index: Int) throws(StoreFailed) {
    let count = TablePictures.byteCount
    guard pwrite(descriptor, pixels, count, index * count) == count else {
      throw StoreFailed(name: "pwrite")
    }
  }
}
