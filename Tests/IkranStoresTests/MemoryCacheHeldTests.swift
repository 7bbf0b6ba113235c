import Dispatch
import IkranPixels
import IkranStores
import Support
import Testing

/// Evicted values that are still held elsewhere.
@Suite("Memory cache, held values", .timeLimit(.minutes(10)))
struct MemoryCacheHeldTests {
  private final class Picture: Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }
  }

  private struct Shown: WeaklyHeld {
    let picture: Picture

    init(_ number: Int) { picture = Picture(number) }
    private init(_ picture: Picture) { self.picture = picture }

    func weakened() -> @Sendable () -> Shown? {
      weak let picture = picture
      return { picture.map { Shown($0) } }
    }
  }

  private func cache(_ recalls: Bool = true) -> MemoryCache<Int, Shown> {
    MemoryCache(recallsHeldValues: recalls, byteLimit: 100, countLimit: 100)
  }

  @Test func aHeldValueIsFoundAfterItWasEvicted() {
    let cache = cache()
    let held = Shown(1)
    cache.store(held, cost: 60, for: 1)
    cache.store(Shown(2), cost: 60, for: 2)
    #expect(cache.value(for: 1)?.picture === held.picture)
    #expect(cache.statistics.hits == 1)
    #expect(cache.statistics.misses == 0)
    #expect(cache.contains(1))
    // The held value is in the cache again; the other one is gone.
    #expect(cache.value(for: 2) == nil)
    #expect(cache.statistics.misses == 1)
  }

  @Test func aValueThatIsNotHeldIsGone() {
    let cache = cache()
    cache.store(Shown(1), cost: 60, for: 1)
    cache.trim(toBytes: 0)
    #expect(cache.value(for: 1) == nil)
  }

  @Test func anOrdinaryCacheRecallsNothing() {
    let cache = cache(false)
    let held = Shown(1)
    cache.store(held, cost: 60, for: 1)
    cache.trim(toBytes: 0)
    #expect(cache.value(for: 1) == nil)
    withExtendedLifetime(held) {}
  }

  @Test func aRemovedOrReplacedValueIsNotRecalled() {
    let cache = cache()
    let held = (0..<3).map { Shown($0) }
    for key in 0..<3 { cache.store(held[key], cost: 10, for: key) }
    cache.trim(toBytes: 0)
    cache.remove(0)
    #expect(cache.value(for: 0) == nil)
    cache.store(Shown(11), cost: 10, for: 1)
    cache.trim(toBytes: 0)
    #expect(cache.value(for: 1) == nil)
    cache.removeAll()
    #expect(cache.value(for: 2) == nil)
    withExtendedLifetime(held) {}
  }

  @Test func aValueOverTheLimitIsFoundWhileItIsHeld() {
    let cache = cache()
    let held = Shown(1)
    cache.store(held, cost: 1000, for: 1)
    #expect(cache.value(for: 1) != nil)
    #expect(cache.value(for: 1) != nil)
    #expect(cache.statistics.byteCount == 0)
    withExtendedLifetime(held) {}
  }

  @Test func referencesToReleasedValuesAreSweptOut() {
    let cache = cache()
    let held = Shown(-1)
    cache.store(held, cost: 60, for: -1)
    for key in 0..<1000 { cache.store(Shown(key), cost: 60, for: key) }
    #expect((0..<999).allSatisfy { cache.value(for: $0) == nil })
    #expect(cache.value(for: -1)?.picture === held.picture)
  }

  /// A value that uses the cache when it is released.
  private final class Guest: Sendable {
    let cache: MemoryCache<Int, Visit>
    init(_ cache: MemoryCache<Int, Visit>) { self.cache = cache }
    deinit { _ = cache.value(for: -1) }
  }

  private struct Visit: WeaklyHeld {
    let guest: Guest

    func weakened() -> @Sendable () -> Visit? {
      weak let guest = guest
      return { guest.map { Visit(guest: $0) } }
    }
  }

  @Test func heldValuesAreReleasedOutsideTheLock() {
    let cache = MemoryCache<Int, Visit>(recallsHeldValues: true, byteLimit: 10, countLimit: 10)
    for key in 0..<200 { cache.store(Visit(guest: Guest(cache)), cost: 6, for: key) }
    cache.removeAll()
    #expect(cache.statistics.misses == 200)
  }

  @Test func threadsThatRecallTheSameValuesGetTheSame() {
    let cache = MemoryCache<Int, Shown>(
      recallsHeldValues: true,
      byteLimit: 300,
      countLimit: 100
    )
    let held = (0..<20).map { Shown($0) }
    let group = DispatchGroup()
    for worker in 0..<4 {
      group.enter()
      BackgroundThread.start(name: "hammer") {
        var generator = SeededGenerator(seed: UInt64(worker))
        for _ in 0..<Rounds.fewer(20_000, concurrent: true) {
          let key = Int.random(in: 0..<40, using: &generator)
          if let found = cache.value(for: key) {
            if found.picture.number != key { Issue.record("another value") }
          } else {
            cache.store(key < 20 ? held[key] : Shown(key), cost: 30, for: key)
          }
        }
        group.leave()
      }
    }
    group.wait()
    #expect(cache.statistics.byteCount <= 300)
    cache.trim(toBytes: 0)
    withExtendedLifetime(held) {
      #expect((0..<20).allSatisfy { cache.value(for: $0)?.picture.number == $0 })
    }
  }

  @Test func aBitmapIsFoundWhileItsPixelsAreHeld() throws {
    let cache = MemoryCache<Int, Bitmap>(recallsHeldValues: true, byteLimit: 1, countLimit: 1)
    var image: Bitmap? = try TestImages.gradient(width: 8, height: 4)
    cache.store(try #require(image), cost: 128, for: 1)
    let found = try #require(cache.value(for: 1))
    #expect(found.size == image?.size)
    #expect(found.withBytes { $0[5] } == image?.withBytes { $0[5] })
    image = nil
    #expect(cache.value(for: 1) != nil)
    withExtendedLifetime(found) {}
  }

  @Test func aBitmapThatMayBeRecalledIsNeverChangedInPlace() throws {
    let cache = MemoryCache<Int, Bitmap>(recallsHeldValues: true, byteLimit: 1, countLimit: 1)
    let style = Style.circle(8)
    let image = try TestImages.gradient(width: 8, height: 8).converted(to: .bgra)
    cache.store(image, cost: 256, for: 1)
    let corner = image.withBytes { $0[3] }
    // The last holder modifies it while the cache could recall it.
    let styled = try style.applyFiltersAndEdges(consume image, scale: 1, workspace: Workspace())
    #expect(corner == 255)
    #expect(styled.withBytes { $0[3] } < 255)
    #expect(cache.value(for: 1)?.withBytes { $0[3] } != styled.withBytes { $0[3] })
  }
}
