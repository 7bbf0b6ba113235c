import Glibc

/// A few threads that do one job in parts, while the caller does the first part and waits.
///
/// They start with the first job. Callers on several threads share them.
final class SharedThreads: Sendable {
  private let count: Int
  private let pool = Guarded(WorkerPool<Void>?.none)

  init(count: Int) { self.count = count }

  /// Does `work` on every item at once, and returns the results in the order of the items.
  ///
  /// It returns as soon as one `isEnough`; the results of those not done by then are missing, and
  /// what has not begun is left out.
  func run<Item: Sendable, Answer: Sendable>(
    _ items: [Item],
    _ work: @escaping @Sendable (Item) throws -> Answer,
    until isEnough: @escaping @Sendable (Result<Answer, any Error>) -> Bool
  ) -> [Result<Answer, any Error>] {
    guard let first = items.first else { return [] }
    let answers = Answers<Result<Answer, any Error>>(count: items.count)
    if items.count > 1 {
      let pool = started()
      for (index, item) in items.enumerated().dropFirst() {
        pool.submit(id: pool.nextID(), priority: { 0 }) { _ in
          guard !answers.isEnough else { return }
          let answer = Result { try work(item) }
          answers.add(answer, at: index, isEnough: isEnough(answer))
        } dropped: {
        }
      }
    }
    let answer = Result { try work(first) }
    answers.add(answer, at: 0, isEnough: isEnough(answer))
    return answers.wait()
  }

  private func started() -> WorkerPool<Void> {
    pool.withLock { pool in
      if let pool { return pool }
      let made = WorkerPool<Void>(name: "ikran-chain", threads: count) {}
      pool = made
      return made
    }
  }

  /// Answers as they come in, and one thread that waits for them.
  private final class Answers<Answer: Sendable>: @unchecked Sendable {  // vars are under `mutex`
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var answers: [Answer?]
    private var missing: Int
    private var hasEnough = false

    init(count: Int) {
      answers = Array(repeating: nil, count: count)
      missing = count
      pthread_mutex_init(mutex, nil)
      pthread_cond_init(condition, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      pthread_mutex_destroy(mutex)
      condition.deallocate()
      mutex.deallocate()
    }

    var isEnough: Bool {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return hasEnough
    }

    func add(_ answer: Answer, at index: Int, isEnough: Bool) {
      pthread_mutex_lock(mutex)
      answers[index] = answer
      missing -= 1
      hasEnough = hasEnough || isEnough
      pthread_mutex_unlock(mutex)
      pthread_cond_signal(condition)
    }

    func wait() -> [Answer] {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      while missing > 0, !hasEnough { pthread_cond_wait(condition, mutex) }
      return answers.compactMap(\.self)
    }
  }
}
