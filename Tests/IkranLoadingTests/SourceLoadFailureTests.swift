import IkranTransport
import Testing

@testable import Ikran

/// The rules of loading a source: what is stale, errors and timeouts.
@Suite struct SourceLoadFailureTests {
  private typealias Script = LoadScript

  private let stale = LoadScript.found(1, .stale(usableOnError: true))
  private let unusable = LoadScript.found(1, .stale(usableOnError: false))

  // MARK: - Failures

  @Test func aFailureIsSharedByAll() {
    var load = Script()
    load.subscribe(1)
    load.subscribe(2)
    let error = ImageError.unreachable
    #expect(load(.failed(1, error)) == ["1 and 2: failed: \(error)"])
    #expect(load.load.isIdle)
  }

  @Test func aFailureOfAnEarlierTransferStartsTheReloadBehindIt() {
    var load = Script()
    load.subscribe(1)
    load.subscribe(2, .reloaded)
    let error = ImageError.unreachable
    #expect(load(.failed(1, error)) == ["1: failed: \(error)", "start reload 2, normal"])
  }

  @Test func aFailureShowsWhatIsStaleAndIsNotRetried() {
    var load = Script()
    load.subscribe(1, reads: .disk)
    let started = load(.cachesRead(.disk, stale))
    #expect(started == ["start transfer 1, normal, conditional, once"])
    #expect(load(.failed(1, .unreachable)) == ["batch 1, normal: render disk for 1"])
    #expect(load.load.subscribers[1]?.staleBecause == .unreachable)
    #expect(load(.undecodable(batch: 1, .noImage)) == ["1: failed: \(ImageError.unreachable)"])
  }

  @Test func whoJoinsIsNotTransferredAgainWhereThatCannotHelp() {
    var load = Script()
    load.subscribe(1, reads: .disk)
    load(.cachesRead(.disk, stale))
    load.subscribe(2)
    let error = ImageError.status(404, url: "a")
    #expect(load(.failed(1, error)) == ["1 and 2: failed: \(error)"])
  }

  @Test func aFailureLeavesAHeldImageAsItIs() {
    var load = Script()
    let known = Script.found(1, .stale(usableOnError: true), in: nil)
    let first = load.subscribe(1, reads: .disk, callerBodyID: 1, known: known)
    #expect(first == ["start transfer 1, normal, conditional, once"])
    let error = ImageError.unreachable
    #expect(load(.failed(1, error)) == ["1: unchanged, staleBecause \(error)"])
  }

  @Test func aFailureIsRetriedForThoseWithNothingStale() {
    var load = Script()
    let known = Script.found(1, .stale(usableOnError: true), in: nil)
    load.subscribe(1, .reloaded)
    load.subscribe(2, reads: .disk, callerBodyID: 1, known: known)
    load.subscribe(3)
    let error = ImageError.unreachable
    let expected = ["1 and 3: failed: \(error)", "2: unchanged, staleBecause \(error)"]
    #expect(load(.failed(1, error)) == expected)
  }

  @Test(arguments: [SourceLoad.Demand.revalidated, .reloaded])
  func aRequestForTheOriginFailsAlthoughSomethingStaleIsThere(_ demand: SourceLoad.Demand) {
    var load = Script()
    let known = Script.found(1, .stale(usableOnError: true), in: nil)
    load.subscribe(1, demand, reads: .disk, callerBodyID: 1, known: known)
    let error = ImageError.unreachable
    #expect(load(.failed(1, error)) == ["1: failed: \(error)"])
  }

  @Test func anErrorThatTellsOfTheSourceShowsNothingStale() {
    var load = Script.read(stale)
    #expect(load(.failed(1, .gone)) == ["1: failed: \(ImageError.gone)"])
  }

  @Test func whatMustNotBeUsedStaleIsNot() {
    var load = Script.read(unusable)
    #expect(load(.failed(1, .unreachable)) == ["1: failed: \(ImageError.unreachable)"])
  }

  @Test func whoSkipsTheDiskIsShownNothingStaleOfIt() {
    var load = Script.read(stale)
    load.subscribe(2)
    // The first transfer was tried once only, for the sake of the first request.
    let next = load(.failed(1, .unreachable))
    #expect(next == ["batch 1, normal: render disk for 1", "start transfer 2, normal"])
    #expect(load(.failed(2, .unreachable)) == ["2: failed: \(ImageError.unreachable)"])
  }

  @Test func whatIsStaleIsShownAtOnceAndNotWhatAnotherCacheHasLater() {
    var load = Script()
    let known = Script.found(1, .stale(usableOnError: true), in: .memory)
    load.subscribe(1, reads: .memory, style: .circle(48), known: known)
    let rounded = Style.rounded(width: 48, height: 48, cornerRadius: 2)
    load.subscribe(2, .cached, reads: .memory, style: rounded, known: known)
    let next = load(.failed(1, .unreachable))
    #expect(next == ["batch 2, normal: render memory for 1"])
    load.subscribe(3, reads: .disk)
    #expect(load(.cachesRead(.disk, Script.found(2))) == ["batch 3, normal: render disk for 3"])
  }

  @Test func whoWaitsBehindADecodeIsRenderedWithWhatIsStale() {
    var load = Script()
    let known = Script.found(1, .stale(usableOnError: true), in: .memory)
    let rounded = Style.rounded(width: 48, height: 48, cornerRadius: 2)
    load.subscribe(1, .cached, reads: .memory, style: rounded, known: known)
    load.subscribe(2, .cached, reads: .memory, style: .circle(48))
    load.subscribe(3, reads: .memory, style: .circle(48))
    let next = load(.failed(1, .unreachable))
    #expect(next == ["batch 2, normal: render memory for 2 and 3"])
  }

  @Test func anArrivalThatIsNoImageShowsWhatIsStale() {
    var load = Script.read(stale)
    load(.received(1, Script.body(nil)))
    let next = load(.undecodable(batch: 1, .noImage))
    #expect(next == ["batch 2, normal: render disk for 1"])
    #expect(load.load.subscribers[1]?.staleBecause == .noImage)
  }

  @Test func whoWaitsForBytesThatHaveArrivedDoesNotFailWithALaterTransfer() {
    var load = Script()
    load.subscribe(1)
    load(.received(1, Script.body(nil)))
    load.subscribe(2)
    load.subscribe(3, .reloaded)
    let error = ImageError.unreachable
    #expect(load(.failed(2, error)) == ["3: failed: \(error)"])
    let next = load(.rendered(batch: 1, Script.arrived(1)))
    #expect(next == ["deliver batch 1 to 1", "batch 2, normal: render network for 2"])
  }

  // MARK: - Timeouts

  @Test func aTransferMayTakeAsLongAsTheMostPatientSubscriberWaits() {
    var load = Script()
    load.subscribe(1)
    load.subscribe(2, .reloaded, timeout: .seconds(1))
    load.subscribe(3, .reloaded, timeout: .seconds(5))
    load(.failed(1, .gone))
    #expect(load.load.transfer?.timeout == .seconds(5))
  }

  @Test func whoWaitsLessLongThanTheTransferMayTakeEndsAlone() {
    var load = Script()
    load.subscribe(1)
    load(.transferBegan(1))
    let joined = load.subscribe(2, timeout: .seconds(1))
    #expect(joined == ["2: at most 1.0 seconds for transfer 1"])
    let next = load(.timedOut(2, transfer: 1, .tooLate))
    #expect(next == ["2: failed: \(ImageError.tooLate)"])
    #expect(load.load.isTransferring)
  }

  @Test func whoWaitsLessLongTakesWhatIsStaleAsIfTheTransferHadFailed() {
    var load = Script()
    load.subscribe(1)
    load(.transferBegan(1))
    let known = Script.found(1, .stale(usableOnError: true), in: nil)
    load.subscribe(2, callerBodyID: 1, timeout: .seconds(1), known: known)
    let next = load(.timedOut(2, transfer: 1, .tooLate))
    #expect(next == ["2: unchanged, staleBecause \(ImageError.tooLate)"])
    #expect(load.load.isTransferring)
  }

  @Test func theTimeInTheQueueDoesNotCount() {
    var load = Script()
    load.subscribe(1)
    #expect(load.subscribe(2, timeout: .seconds(1)) == [])
    #expect(load(.transferBegan(1)) == ["2: at most 1.0 seconds for transfer 1"])
    // A retry begins again.
    #expect(load(.transferBegan(1)) == ["2: at most 1.0 seconds for transfer 1"])
  }

  @Test func aTransferThatWasGivenLessTimeIsStartedAgainForThoseWhoWaitLonger() {
    var load = Script()
    load.subscribe(1, timeout: .seconds(1))
    load.subscribe(2)
    let next = load(.failed(1, .tooLate))
    #expect(next == ["1: failed: \(ImageError.tooLate)", "start transfer 2, normal"])
    #expect(load(.failed(2, .tooLate)) == ["2: failed: \(ImageError.tooLate)"])
  }

  @Test func theTimerOfAnEarlierTransferEndsNothing() {
    var load = Script()
    load.subscribe(1)
    load(.transferBegan(1))
    load.subscribe(2, .reloaded, timeout: .seconds(1))
    load(.failed(1, .unreachable))
    #expect(load(.timedOut(2, transfer: 1, .tooLate)) == [])
    #expect(load.load.isTransferring)
  }

  @Test func aTimerThatIsLateEndsNothing() {
    var load = Script()
    load.subscribe(1)
    load(.transferBegan(1))
    load.subscribe(2, timeout: .seconds(1))
    load(.received(1, Script.body(nil)))
    #expect(load(.timedOut(2, transfer: 1, .tooLate)) == [])
    #expect(load.load.members(of: 1) == [1, 2])
  }
}
