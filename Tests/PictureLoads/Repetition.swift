import IkranCodecs
import IkranIsolation
import IkranPixels
import IkranSystem

/// Decodes one file many times, in this process and in a decoder.
enum Repetition {
  private static let count = 1_000
  /// After so many, what is kept for later is there.
  private static let first = 100
  /// The most megabytes that the others may leave.
  private static let megabytes = 4

  /// Whether neither process grows.
  static func check(_ path: String) throws -> Bool {
    let file = try Files.read(path)
    let pool = DecoderPool()
    let here = try growth {
      _ = try CodecList.standard.decode(file.span)
    } of: {
      Resident.bytes()
    }
    let codecs = CodecList.standard.isolated(.all, in: pool)
    let apart = try growth {
      _ = try codecs.decode(file.span)
    } of: {
      pool.idleProcesses.first.map { Resident.bytes(of: $0) } ?? 0
    }
    print("repeat: \(count) times leave \(here >> 10) KB here, \(apart >> 10) KB in a decoder")
    return max(here, apart) <= megabytes << 20 && pool.idleCount == 1
  }

  /// How many bytes more are in memory after the last time than after the first ones.
  private static func growth(
    _ work: () throws -> Void,
    of resident: () -> Int
  ) throws -> Int {
    for _ in 0..<first { try work() }
    let start = resident()
    for _ in first..<count { try work() }
    return resident() - start
  }
}
