import IkranTransport
import Support

@testable import Ikran

extension FakeTransport {
  /// Brings `first` bytes of a file, then as much as each of `counts` says, each when the part before
  /// has been seen and 100 ms have passed.
  static func arriving(
    _ file: [UInt8],
    first: Int = 1,
    counts: [Int],
    clock: ManualClock,
    seen: [Latch]
  ) -> FakeTransport {
    FakeTransport(clock: clock) { request, progress throws(TransportError) in
      progress(TransferProgress(received: first, expected: file.count))
      request.onBytes?(Array(file.prefix(first)))
      for (count, latch) in zip(counts, seen) {
        clock.advance(by: .milliseconds(100))
        request.onBytes?(Array(file.prefix(count)))
        _ = await latch.wait()
      }
      return TransportResponse(status: 200, headers: .fresh, body: file, url: request.url)
    }
  }
}
