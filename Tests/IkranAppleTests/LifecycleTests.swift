import Ikran
import IkranApple
import Testing

#if canImport(UIKit)
import UIKit
#endif

/// A pipeline while its app is in the background, or the device is locked.
@MainActor
struct LifecycleTests {
  @Test func aTablesPictureIsAMissWhileThePipelineIsSuspended() async throws {
    let pipeline = try await Pictures.pipeline(withTableOf: 5)
    let request = try Pictures.request(5)
    await pipeline.suspend()
    #expect(pipeline.cached(for: request) == nil)
    pipeline.resume()
    let shown = try #require(pipeline.cached(for: request))
    #expect(shown.color(x: 8, y: 8) == Pictures.color(5))
    await pipeline.removeAll()
  }

  #if canImport(UIKit)
  @Test func anAppInTheBackgroundHasItsTablesOnlyForItsWork() async throws {
    let pipeline = try await Pictures.pipeline(withTableOf: 6)
    let request = try Pictures.request(6)
    let lifecycle = PipelineLifecycle(pipeline)
    let center = NotificationCenter.default
    center.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
    let color = await lifecycle.performInBackground {
      pipeline.cached(for: request)?.color(x: 8, y: 8)
    }
    #expect(color == Pictures.color(6))
    // It returns when the locks are released.
    pipeline.trimMemory(toBytes: 0)
    #expect(pipeline.cached(for: request) == nil)
    center.post(name: UIApplication.willEnterForegroundNotification, object: nil)
    #expect(pipeline.cached(for: request) != nil)
    await pipeline.removeAll()
  }

  @Test func aMemoryWarningEmptiesTheMemory() throws {
    let pipeline = try Pictures.pipeline(with: 0..<1)
    let lifecycle = PipelineLifecycle(pipeline)
    let name = UIApplication.didReceiveMemoryWarningNotification
    NotificationCenter.default.post(name: name, object: nil)
    #expect(pipeline.cached(for: try Pictures.request(0)) == nil)
    withExtendedLifetime(lifecycle) {}
  }
  #endif
}
