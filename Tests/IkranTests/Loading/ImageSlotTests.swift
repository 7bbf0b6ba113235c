import FoundationEssentials
import Ikran
import IkranTesting
import Support
import Testing

/// A place that shows one image at a time.
@Suite @MainActor
struct ImageSlotTests {
  private let origin = SlotOrigin()
  private let slot = ImageSlot()
  private let shown = Shown()

  @MainActor
  private final class Shown {
    var names: [String] = []
    private var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    func note(_ name: String, _ event: ImageEvent) {
      switch event {
      case .finished: names.append(name)
      case .failed(let error):
        names.append("\(name) \(error == .cancelled ? "cancelled" : "failed")")
      default: return
      }
      if let waiting, names.count >= waiting.count {
        self.waiting = nil
        waiting.continuation.resume()
      }
    }

    func wait(for count: Int) async {
      guard names.count < count else { return }
      await withCheckedContinuation { waiting = (count, $0) }
    }
  }

  private func load(_ name: String, into slot: ImageSlot? = nil) {
    let request = ImageRequest(origin.url(name), style: .rectangle(width: 4, height: 4))
    (slot ?? self.slot).load(request, from: origin.pipeline) { [shown] in shown.note(name, $0) }
  }

  @Test func itTellsOfItsImage() async {
    origin.door.open()
    load("a")
    await shown.wait(for: 1)
    #expect(shown.names == ["a"])
    #expect(slot.request == nil)
  }

  @Test func nothingArrivesOfTheRequestBefore() async {
    load("a")
    load("b")
    origin.door.open()
    await shown.wait(for: 1)
    #expect(shown.names == ["b"])
  }

  @Test func nothingArrivesAfterItWasCancelled() async {
    load("a")
    slot.cancel()
    origin.door.open()
    load("b")
    await shown.wait(for: 1)
    #expect(shown.names == ["b"])
    #expect(origin.transport.requests.count <= 2)
  }

  @Test func theRequestThatLoadsAlreadyGoesOn() async {
    load("a")
    await origin.door.arrivals(1)
    load("a")
    origin.door.open()
    await shown.wait(for: 1)
    #expect(shown.names == ["a"])
    #expect(origin.transport.requests.count == 1)
  }

  @Test func anImageInMemoryArrivesWithinTheCall() async {
    origin.door.open()
    load("a")
    await shown.wait(for: 1)
    load("a")
    #expect(shown.names == ["a", "a"])
  }

  @Test func aSlotThatIsReleasedEndsItsLoad() async {
    var other: ImageSlot? = ImageSlot()
    if let other { load("a", into: other) }
    await origin.door.arrivals(1)
    other = nil
    await origin.cancelled.arrivals(1)
    #expect(shown.names == [])
  }
}

/// Pictures of one colour behind a door.
private final class SlotOrigin: Sendable {
  let door = Latch()
  /// Passed by each transfer that is cancelled.
  let cancelled = Latch()
  let transport: FakeTransport
  let pipeline: ImagePipeline

  init() {
    cancelled.open()
    transport = FakeTransport { [door, cancelled] (request, _) async throws(TransportError) in
      guard await door.wait() else {
        _ = await cancelled.wait()
        throw .cancelled
      }
      guard let picture = try? Bitmap(.black, size: PixelSize(width: 8, height: 8)),
        let file = try? picture.encoded(as: .png)
      else { throw .invalidURL(request.url) }
      return TransportResponse(status: 200, headers: .fresh, body: file, url: request.url)
    }
    pipeline = ImagePipeline.deterministic(transport: transport)
  }

  func url(_ name: String) -> URL {
    URL(string: "https://example.test/\(name)") ?? URL(filePath: "/")
  }
}
