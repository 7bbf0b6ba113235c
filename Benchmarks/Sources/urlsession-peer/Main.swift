import Foundation
import FoundationNetworking
import Glibc

/// Foundation's client in a separate process, since it contains its own copy of libcurl.
///
/// Responds to each line "BASE COUNT CONNECTIONS" with the wall-clock and the processor nanoseconds that
/// COUNT downloads over CONNECTIONS connections took.
@main
enum Main {
  static func main() async {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 6
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 3, let url = URL(string: words[0]), let count = Int(words[1]),
        let connections = Int(words[2])
      else { exit(2) }
      do {
        let downloads = Downloads(session: session, url: url, connections: connections)
        let times = try await downloads.time(count)
        print(times.wall, times.processor)
        fflush(nil)
      } catch {
        exit(1)
      }
    }
  }
}

/// Repeated downloads of one address.
struct Downloads {
  let session: URLSession
  let url: URL
  let connections: Int

  /// Downloads `count` bodies and returns the nanoseconds of wall clock and of processor.
  @inline(never)
  func time(_ count: Int) async throws -> (wall: Int, processor: Int) {
    let began = Self.clock(CLOCK_MONOTONIC)
    let beganProcessor = Self.clock(CLOCK_PROCESS_CPUTIME_ID)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<connections {
        group.addTask {
          for index in stride(from: worker, to: count, by: connections) {
            guard let numbered = URL(string: "\(url.absoluteString)/\(index).bin") else { continue }
            let (data, _) = try await session.data(from: numbered)
            guard !data.isEmpty else { throw URLError(.zeroByteResource) }
          }
        }
      }
      try await group.waitForAll()
    }
    let processor = Self.clock(CLOCK_PROCESS_CPUTIME_ID) - beganProcessor
    return (Self.clock(CLOCK_MONOTONIC) - began, processor)
  }

  private static func clock(_ id: clockid_t) -> Int {
    var now = timespec()
    clock_gettime(id, &now)
    return now.tv_sec * 1_000_000_000 + now.tv_nsec
  }
}
