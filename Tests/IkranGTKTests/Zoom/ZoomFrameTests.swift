import FoundationEssentials
import Glibc
import Support
import Testing

@testable import IkranGTK

extension GTKTests {
  /// The memory in which Cairo hands frames to an X server.
  @Suite(
    .enabled(if: Display.isDrawnByCairo && Display.isOnX, "only Cairo on X shares its memory")
  )
  @MainActor
  struct ZoomFrameTests {
    /// The segments of shared memory that this process made.
    private func segments() throws -> Set<String> {
      let list = try #require(FileManager.default.contents(atPath: "/proc/sysvipc/shm"))
      let rows = String(decoding: list, as: UTF8.self).split(separator: "\n").dropFirst()
      let fields = rows.map { $0.split(separator: " ").map(String.init) }
      return Set(fields.filter { $0.count > 4 && $0[4] == "\(getpid())" }.map { $0[1] })
    }

    @Test func theMemoryOfAFrameIsKeptForTheNext() throws {
      let window = try Window(width: 200, height: 150)
      let view = ZoomView(window.widget)
      let file = try ZoomViewTests.picture(700, 600).encoded(as: .png)
      view.show(file, options: ZoomOptions(factor: 1))
      try Display.run { view.isSharp }
      view.scroll(x: 1, y: 1)
      try window.drawFrames(2)
      let kept = try segments()
      #expect(!kept.isEmpty)
      for _ in 0..<3 {
        view.scroll(x: 1, y: 1)
        try window.drawFrames(2)
      }
      #expect(try segments().isSuperset(of: kept))
    }
  }
}
