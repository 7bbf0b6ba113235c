import IkranTransport

/// What is left to do without the lock once an event has been handled: each is one call.
enum SourceWork: Sendable {
  indirect case resume(SourceWaiter.Resumption)
  case report(TransferProgress, to: Subscription)
  /// Makes a read of a cache at least as urgent.
  case raise(Subscription, to: ImagePriority)
  /// Tells those who follow a priority that it has changed.
  case tellObservers(Subscription)
  case cancelTimer(Task<Void, Never>)
  indirect case readCaches(CacheStages, of: SourceRequest, for: Subscription)
  indirect case readRecord(of: SourceRequest, for: Subscription)
  indirect case start(SourceLoad.TransferOrder, of: SourceRequest, as: RunningTransfer)
  case cancel(RunningTransfer)
  case submit(RenderJob)
  /// Moves a job to where its priority belongs now.
  case move(RenderJob)
  case withdraw(RenderJob)
  case abandon(RenderJob)
}

extension SourceLoader {
  /// Does what an event has left to do.
  func perform(_ work: SourceWork, at entryID: EntryID) {
    switch work {
    case .resume(let resumption): resumption.resume()
    case .report(let progress, let subscription): subscription.report(progress)
    case .raise(let reading, let priority): reading.raise(to: priority)
    case .tellObservers(let subscription): subscription.tellObservers()
    case .cancelTimer(let timer): timer.cancel()
    case .readCaches(let reads, let source, let reading):
      readCaches(reads, of: source, at: entryID, reading)
    case .readRecord(let source, let reading): readRecord(of: source, at: entryID, reading)
    case .start(let order, let source, let transfer):
      start(order, of: source, at: entryID, transfer)
    case .cancel(let transfer): transfer.cancel()
    case .submit(let job): job.submit { [self] in handle($0, at: entryID) }
    case .move(let job): job.move()
    case .withdraw(let job): job.withdraw()
    case .abandon(let job): job.abandon()
    }
  }
}
