import IkranPixels
import TestBasics
import Testing

@testable import IkranSystem

/// Parts of a job that idle threads of a pool prepare.
@Suite(.timeLimit(.minutes(2)))
struct OrderedPartsTests {
  /// What was prepared, in the order in which it began.
  private final class Log: Sendable {
    let parts = Guarded<[Int]>([])

    func add(_ part: Int) { parts.withLock { $0.append(part) } }

    var all: [Int] { parts.withLock { $0 } }
  }

  private func pool(_ threads: Int) -> WorkerPool<Void> {
    WorkerPool(name: "parts", threads: threads) { _ in }
  }

  private func submit(_ pool: WorkerPool<Void>, _ job: @escaping @Sendable () -> Void) {
    pool.submit(id: pool.nextID(), priority: { 0 }) {
      job()
    } dropped: {
    }
  }

  @Test func everyPartIsPreparedOnceAndBeforeItIsTaken() throws {
    for count in [1, 2, 3, 50] {
      let pool = pool(3)
      let prepared = (0..<count).map { _ in Guarded(0) }
      let parts = try #require(
        pool.idleThreads.begin(count, ahead: 4) { part in prepared[part].withLock { $0 += 1 } }
      )
      for part in 0..<count {
        #expect(parts.next())
        #expect(prepared[part].withLock { $0 } == 1)
      }
      #expect(!parts.next())
      parts.end()
    }
  }

  @Test func anIdleThreadPreparesAPart() throws {
    let pool = pool(1)
    let isPrepared = ThreadLatch()
    let parts = try #require(pool.idleThreads.begin(1, ahead: 4) { _ in isPrepared.open() })
    isPrepared.wait()
    #expect(parts.next())
    parts.end()
  }

  @Test func noMoreIsPreparedThanThereIsMemoryFor() throws {
    let pool = pool(2)
    let log = Log()
    let parts = try #require(pool.idleThreads.begin(20, ahead: 3) { log.add($0) })
    for taken in 1...20 {
      #expect(parts.next())
      #expect(log.all.count <= taken + 2)
    }
    parts.end()
    #expect(log.all.sorted() == Array(0..<20))
  }

  @Test func aPoolWithoutIdleThreadsLendsNone() {
    let pool = pool(2)
    let latches = (0..<2).map { _ in (started: ThreadLatch(), end: ThreadLatch()) }
    for latch in latches {
      submit(pool) {
        latch.started.open()
        latch.end.wait()
      }
    }
    for latch in latches { latch.started.wait() }
    #expect(pool.idleThreads.begin(4, ahead: 4) { _ in } == nil)
    for latch in latches { latch.end.open() }
  }

  /// Each of the pool's threads wants the others to prepare its parts.
  @Test func threadsThatAllWantHelpDoNotWaitForEachOther() {
    let pool = WorkerPool<any IdleThreads>(name: "parts", threads: 3) { $0 }
    let sums = (0..<200).map { _ in (sum: Guarded(0), done: ThreadLatch()) }
    for (sum, done) in sums {
      pool.submit(id: pool.nextID(), priority: { 0 }) { threads in
        let parts = threads.begin(10, ahead: 4) { part in sum.withLock { $0 += part } }
        if let parts {
          while parts.next() {}
          parts.end()
        } else {
          for part in 0..<10 { sum.withLock { $0 += part } }
        }
        done.open()
      } dropped: {
      }
    }
    for (sum, done) in sums {
      done.wait()
      #expect(sum.withLock { $0 } == 45)
    }
  }

  @Test func aJobOfThePoolTakesTheThreadBackBetweenTwoParts() throws {
    let pool = pool(1)
    let (isPreparing, mayEnd, isDone) = (ThreadLatch(), ThreadLatch(), ThreadLatch())
    let log = Log()
    let parts = try #require(
      pool.idleThreads.begin(3, ahead: 3) { part in
        log.add(part)
        guard part == 0 else { return }
        isPreparing.open()
        mayEnd.wait()
      }
    )
    isPreparing.wait()
    submit(pool) { isDone.open() }
    mayEnd.open()
    // The parts are not taken, so only the borrowed thread could have prepared a second one.
    isDone.wait()
    #expect(log.all == [0])
    while parts.next() {}
    parts.end()
    #expect(log.all == [0, 1, 2])
  }

  @Test func noPartIsPreparedAfterTheEnd() throws {
    let pool = pool(1)
    let (isPreparing, mayEnd) = (ThreadLatch(), ThreadLatch())
    let log = Log()
    let parts = try #require(
      pool.idleThreads.begin(9, ahead: 9) { part in
        if part == 0 {
          isPreparing.open()
          mayEnd.wait()
        }
        log.add(part)
      }
    )
    isPreparing.wait()
    submit(pool) {}
    mayEnd.open()
    parts.end()
    let all = log.all
    #expect(all == [0])
    #expect(!parts.next())
    #expect(log.all == all)
  }

  @Test func aPoolThatEndsLeavesThePartsToTheCaller() throws {
    var pool: WorkerPool<Void>? = pool(1)
    let log = Log()
    let threads = try #require(pool?.idleThreads)
    let parts = try #require(threads.begin(30, ahead: 2) { log.add($0) })
    #expect(parts.next())
    pool = nil
    while parts.next() {}
    parts.end()
    #expect(log.all.sorted() == Array(0..<30))
    #expect(threads.begin(2, ahead: 2) { _ in } == nil)
  }
}
