import Testing

@testable import Ikran

/// The rules of loading a source: who shares which transfer, and what it brings.
@Suite struct SourceLoadTransferTests {
  private typealias Script = LoadScript

  private let stale = LoadScript.found(1, .stale(usableOnError: true))
  private let unusable = LoadScript.found(1, .stale(usableOnError: false))

  // MARK: - Joining and leaving

  @Test func allSubscribersShareOneTransfer() {
    var load = Script()
    #expect(load.subscribe(1) == ["start transfer 1, normal"])
    #expect(load.subscribe(2) == [])
    let received = load(.received(1, Script.body(nil)))
    #expect(received == ["batch 1, normal: render network for 1 and 2"])
    #expect(load(.rendered(batch: 1, Script.arrived(1))) == ["deliver batch 1 to 1 and 2"])
    #expect(load.load.isIdle)
  }

  @Test func theLastToLeaveCancelsTheTransfer() {
    var load = Script()
    load.subscribe(1)
    load.subscribe(2)
    #expect(load(.unsubscribe(1)) == ["1: failed: \(ImageError.cancelled)"])
    #expect(load(.unsubscribe(2)) == ["2: failed: \(ImageError.cancelled)", "cancel the transfer"])
    #expect(!load.load.isTransferring)
    #expect(load(.failed(1, .cancelled)) == [])
    #expect(load.load.isIdle)
  }

  @Test func theNextTransferStartsWhenTheCancelledOneHasEnded() {
    var load = Script()
    load.subscribe(1)
    load(.unsubscribe(1))
    #expect(load.subscribe(2) == [])
    #expect(load(.failed(1, .cancelled)) == ["start transfer 2, normal"])
  }

  @Test func aStorageThatWasNoLongerAskedSaysNothing() {
    var load = Script()
    load.subscribe(1)
    load(.unsubscribe(1))
    load.subscribe(2)
    #expect(load(.missing(1)) == ["start transfer 2, normal"])
    #expect(load(.missing(2)) == ["2: not cached"])
  }

  @Test func whatACancelledTransferBringsAllTheSameIsUsed() {
    var load = Script()
    load.subscribe(1)
    load(.unsubscribe(1))
    load.subscribe(2)
    let received = load(.received(1, Script.body(nil)))
    #expect(received == ["batch 1, normal: render network for 2"])
  }

  @Test func aTransferAnswersOnce() {
    var load = Script()
    load.subscribe(1)
    load.subscribe(2, .reloaded)
    load(.failed(1, .gone))
    #expect(load(.received(1, Script.body(nil))) == [])
    #expect(load(.failed(1, .gone)) == [])
    #expect(load(.notModified(1, Script.found(1))) == [])
    #expect(load(.forgotten(1)) == [])
    #expect(load(.redirected(1, Script.redirect)) == [])
    #expect(load(.transferBegan(1)) == [])
    #expect(load.load.isTransferring)
  }

  @Test func whatHasArrivedIsKeptThoughNoImageOfItIsWanted() {
    var load = Script()
    load.subscribe(1)
    load(.received(1, Script.body(nil)))
    #expect(load(.unsubscribe(1)) == ["1: failed: \(ImageError.cancelled)", "abandon batch 1"])
    #expect(!load.load.isIdle)
    #expect(load(.rendered(batch: 1, Script.arrived(1))) == ["deliver batch 1 to no one"])
    #expect(load.load.isIdle)
  }

  @Test func whatAnotherWaitsBehindIsNotAbandoned() {
    var load = Script()
    load.subscribe(1, style: .circle(10))
    load(.received(1, Script.body(nil)))
    load.subscribe(2, style: .circle(10))
    #expect(load(.unsubscribe(1)) == ["1: failed: \(ImageError.cancelled)"])
    #expect(load(.setPriority(2, .high)) == ["batch 1 with high"])
  }

  @Test func whatWasGivenUpBeforeItIsKnownWhatItIsIsTransferredAgain() {
    var load = Script()
    load.subscribe(1)
    load(.received(1, Script.body(nil)))
    load(.unsubscribe(1))
    load.subscribe(2)
    #expect(load(.undecodable(batch: 1, .abandoned)) == ["start transfer 2, normal"])
  }

  @Test(arguments: [ImageSource.avatar, .file, .data])
  func whatWasReadOfTheProgramsOwnIsNotDecodedForNoCaller(source: ImageSource) {
    var load = Script()
    load.subscribe(1)
    load(.received(1, Script.body(1, from: source)))
    #expect(load(.unsubscribe(1)) == ["1: failed: \(ImageError.cancelled)", "withdraw batch 1"])
    #expect(load.load.isIdle)
  }

  @Test func whoComesWhileTheBytesAreLookedAtWaitsForThem() {
    var load = Script()
    load.subscribe(1, style: .circle(10))
    load(.received(1, Script.body(nil)))
    #expect(load.subscribe(2, .fresh, .high, style: .circle(20)) == ["batch 1 with high"])
    let next = load(.rendered(batch: 1, Script.arrived(1)))
    #expect(next == ["deliver batch 1 to 1", "batch 2, high: render network for 2"])
  }

  @Test func whoSkipsTheDiskJoinsATransferOfOneWhoDoesNot() {
    var load = Script.read(nil)
    #expect(load.subscribe(2) == [])
    let received = load(.received(1, Script.body(nil)))
    #expect(received == ["batch 1, normal: render network for 1 and 2"])
  }

  @Test func whoSkipsTheCachesGetsNothingThatWasThereBefore() {
    var load = Script()
    load.subscribe(1, style: .circle(10))
    load(.received(1, Script.body(nil)))
    load.subscribe(2, style: .circle(20))
    load(.rendered(batch: 1, Script.arrived(1)))
    #expect(load.subscribe(3, style: .circle(20)) == ["start transfer 2, normal"])
  }

  @Test(arguments: [Body.Storing.forbidden, .onlyWithoutRevalidation])
  func whatMustNotBeStoredIsNotForLaterRequests(storing: Body.Storing) {
    var load = Script()
    load.subscribe(1, style: .circle(10))
    load(.received(1, Script.body(nil)))
    load.subscribe(2, reads: .memory, style: .circle(20))
    load(.cachesRead(.memory, nil))
    let next = load(.rendered(batch: 1, Script.arrived(1, storing: storing)))
    #expect(next == ["deliver batch 1 to 1", "batch 2, normal: render network for 2"])
    let later = load.subscribe(3, reads: .memory, style: .circle(20))
    #expect(later == ["start transfer 2, normal"])
    let unasking = load.subscribe(4, reads: .memory, style: .circle(30), expiry: .never)
    let isReused = storing == .onlyWithoutRevalidation
    #expect(unasking == (isReused ? ["batch 3, normal: render network for 4"] : []))
  }

  // MARK: - Priorities

  @Test func theTransferHasTheHighestPriorityOfThoseWhoWait() {
    var load = Script()
    #expect(load.subscribe(1, .fresh, .low) == ["start transfer 1, low"])
    #expect(load.subscribe(2, .fresh, .high) == ["transfer with high"])
    #expect(load.subscribe(3, .fresh, .normal) == [])
    #expect(
      load(.unsubscribe(2)) == ["2: failed: \(ImageError.cancelled)", "transfer with normal"]
    )
    #expect(load(.setPriority(1, .high)) == ["transfer with high"])
  }

  @Test func aReloadThatWaitsRaisesTheTransferBeforeIt() {
    var load = Script()
    load.subscribe(1, .fresh, .low)
    #expect(load.subscribe(2, .reloaded, .high) == ["transfer with high"])
  }

  @Test func whoReadsCachesDoesNotRaiseATransfer() {
    var load = Script()
    load.subscribe(1, .reloaded, .low)
    #expect(load.subscribe(2, .cached, .high, reads: .disk) == ["read disk"])
  }

  // MARK: - Demands

  @Test func aReloadWaitsForTheTransferUnderWayAndStartsItsOwn() {
    var load = Script()
    load.subscribe(1)
    #expect(load.subscribe(2, .reloaded) == [])
    let received = load(.received(1, Script.body(nil)))
    #expect(received == ["batch 1, normal: render network for 1", "start reload 2, normal"])
  }

  @Test func aReloadIsSharedByAll() {
    var load = Script()
    #expect(load.subscribe(1, .reloaded) == ["start reload 1, normal"])
    #expect(load.subscribe(2, .reloaded) == [])
    #expect(load.subscribe(3, .revalidated) == [])
    #expect(load.subscribe(4) == [])
    let received = load(.received(1, Script.body(nil)))
    #expect(received == ["batch 1, normal: render network for 1 and 2 and 3 and 4"])
  }

  @Test func aReloadTakesNothingThatHadArrivedBefore() {
    var load = Script()
    load.subscribe(1, .reloaded)
    load(.received(1, Script.body(nil)))
    #expect(load.subscribe(2, .reloaded) == ["start reload 2, normal"])
    #expect(load(.rendered(batch: 1, Script.arrived(1))) == ["deliver batch 1 to 1"])
  }

  @Test func aReloadWhoseBytesAreNoImageTakesNoOtherTransfer() {
    var load = Script()
    load.subscribe(1, .reloaded)
    load(.received(1, Script.body(nil)))
    load.subscribe(2, .revalidated)
    load(.received(2, Script.body(nil)))
    let error = ImageError.noImage
    #expect(load(.undecodable(batch: 1, error)) == ["1: failed: \(error)"])
  }

  @Test func aReloadSendsNoValidators() {
    var load = Script()
    let known = Script.found(1, in: nil)
    let first = load.subscribe(1, .reloaded, reads: .disk, callerBodyID: 1, known: known)
    #expect(first == ["start reload 1, normal"])
  }

  @Test func aReloadStartsWhenTheOthersLeave() {
    var load = Script()
    load.subscribe(1)
    load.subscribe(2, .reloaded)
    #expect(load(.unsubscribe(1)) == ["1: failed: \(ImageError.cancelled)", "cancel the transfer"])
    #expect(load(.failed(1, .cancelled)) == ["start reload 2, normal"])
  }

  @Test func theOriginIsAskedAlsoAboutWhatIsFresh() {
    var load = Script()
    let known = Script.found(1, in: nil)
    let first = load.subscribe(1, .revalidated, reads: .disk, callerBodyID: 1, known: known)
    #expect(first == ["start transfer 1, normal, conditional"])
    #expect(load.subscribe(2, .revalidated, reads: .disk, callerBodyID: 1, known: known) == [])
  }

  // MARK: - 304

  @Test func a304LeavesHeldImagesAsTheyAreAndRendersTheOthers() {
    var load = Script.read(stale)
    load.subscribe(2, reads: .disk, callerBodyID: 1)
    let next = load(.notModified(1, Script.found(1, in: nil)))
    #expect(next == ["2: unchanged", "batch 1, normal: render disk for 1"])
  }

  @Test(arguments: [true, false])
  func aTransferIsConditionalOnlyIfAllWhoWaitCanUseA304(_ allCan: Bool) {
    var load = Script()
    load.subscribe(1, timeout: .seconds(1))
    let known = Script.found(1, .stale(usableOnError: false), in: nil)
    load.subscribe(2, reads: .disk, callerBodyID: 1, known: known)
    load.subscribe(3, reads: .disk, callerBodyID: allCan ? 1 : nil)
    load(.cachesRead(.disk, nil))
    let kind = allCan ? ", conditional" : ""
    let next = load(.failed(1, .tooLate))
    #expect(next == ["1: failed: \(ImageError.tooLate)", "start transfer 2, normal\(kind)"])
  }

  @Test func whoHasNoImageOfWhatA304ConfirmsReadsTheDisk() {
    var load = Script()
    let known = Script.found(1, .stale(usableOnError: false), in: nil)
    load.subscribe(1, .revalidated, reads: .disk, callerBodyID: 1, known: known)
    load.subscribe(2, .revalidated, reads: .disk)
    let next = load(.notModified(1, Script.found(1, in: nil)))
    #expect(next == ["1: unchanged"])
    let read = load(.cachesRead(.disk, Script.found(1)))
    #expect(read == ["batch 1, normal: render disk for 2"])
  }

  @Test func whatA304ConfirmsIsTransferredForThoseWhoHaveNoBody() {
    var load = Script()
    let known = Script.found(1, .stale(usableOnError: false), in: nil)
    load.subscribe(1, .revalidated, reads: .disk, callerBodyID: 1, known: known)
    load.subscribe(2)
    let next = load(.notModified(1, Script.found(1, in: nil)))
    #expect(next == ["1: unchanged", "start transfer 2, normal"])
  }

  @Test func whatA304ForbidsToUseIsTransferredAgain() {
    var load = Script.read(stale)
    load.subscribe(2, reads: .disk, callerBodyID: 1)
    #expect(load(.forgotten(1)) == ["start transfer 2, normal"])
    let received = load(.received(2, Script.body(nil)))
    #expect(received == ["batch 1, normal: render network for 1 and 2"])
  }

  @Test func whoOnlyValidatesEndsWhenThereIsNothingLeftToValidate() {
    var load = Script()
    let known = Script.found(1, .stale(usableOnError: true), in: nil)
    load.subscribe(1, .revalidated, validates: true, known: known)
    #expect(load(.forgotten(1)) == ["1: not cached"])
    #expect(load.load.isIdle)
  }

  @Test func whatWasReplacedIsNotFoundAnyMore() {
    var load = Script.read(Script.found(1))
    load.subscribe(2, .reloaded)
    load(.invalidated)
    #expect(load.subscribe(3, reads: .disk) == ["read disk"])
  }

  @Test func aRemovalLetsATransferGoOnForThoseWhoWaitForIt() {
    var load = Script()
    load.subscribe(1, reads: .disk)
    load(.cachesRead(.disk, nil))
    #expect(load(.invalidated) == [])
    #expect(load(.received(1, Script.body(nil))) == ["batch 1, normal: render network for 1"])
  }

  @Test func aTransferThatBeginsAfterARemovalServesWhoComesAfterItToo() {
    var load = Script()
    load.subscribe(1)
    load(.invalidated)
    load.subscribe(2)
    let received = load(.received(1, Script.body(nil)))
    #expect(received == ["batch 1, normal: render network for 1 and 2"])
  }

  @Test func whoWaitsWhileASourceIsReplacedReadsTheCachesAgain() {
    var load = Script()
    load.subscribe(1, reads: .disk)
    load(.cachesRead(.disk, nil))
    #expect(load(.replaced) == ["read disk", "cancel the transfer"])
  }

  @Test func whoWaitsWhileASourceIsRemovedAndThenReplacedReadsTheCachesAgain() {
    var load = Script()
    load.subscribe(1, reads: .disk)
    load(.cachesRead(.disk, nil))
    load(.invalidated)
    #expect(load(.replaced) == ["read disk", "cancel the transfer"])
  }

  @Test func a304OfWhatWasRemovedConfirmsNothing() {
    var load = Script()
    let known = Script.found(1, .stale(usableOnError: true), in: nil)
    load.subscribe(1, .revalidated, callerBodyID: 1, known: known)
    load(.transferBegan(1))
    load(.invalidated)
    #expect(load(.notModified(1, known)) == ["start transfer 2, normal"])
  }

  @Test func whoComesAfterARemovalWaitsForATransferThatBeginsAfterIt() {
    var load = Script()
    load.subscribe(1)
    load(.transferBegan(1))
    load(.invalidated)
    load.subscribe(2)
    let received = load(.received(1, Script.body(nil)))
    #expect(received == ["batch 1, normal: render network for 1", "start transfer 2, normal"])
  }

  @Test func whatATransferBringsThatBeganBeforeIsNotFoundLater() {
    var load = Script()
    load.subscribe(1)
    load(.received(1, Script.body(nil)))
    load.subscribe(2, .reloaded)
    load(.invalidated)
    load(.rendered(batch: 1, Script.arrived(1)))
    #expect(load.subscribe(3, reads: .disk) == ["read disk"])
  }

  @Test func aTimerDoesNotRunForATransferThatServesOthers() {
    var load = Script()
    load.subscribe(1)
    load.subscribe(2, .reloaded, timeout: .seconds(5))
    #expect(load(.transferBegan(1)) == [])
    #expect(load(.timedOut(2, transfer: 1, .tooLate)) == [])
  }

  @Test func bytesOlderThanWhatA304ConfirmedReplaceNothing() {
    var load = Script()
    load.subscribe(1, reads: .disk, style: .circle(10))
    load(.cachesRead(.disk, unusable))
    load(.received(1, Script.body(nil)))
    let known = Script.found(1, in: nil)
    load.subscribe(2, .revalidated, reads: .disk, callerBodyID: 1, known: known)
    #expect(load(.notModified(2, known)) == ["2: unchanged"])
    load(.rendered(batch: 1, Script.arrived(3)))
    #expect(load.load.found?.id == Script.id(1))
  }

  // MARK: - Redirects

  @Test func aRedirectResumesAllWhoWaitForTheTransfer() {
    var load = Script()
    load.subscribe(1)
    load.subscribe(2, .revalidated)
    load.subscribe(3, .reloaded)
    let next = load(.redirected(1, Script.redirect))
    #expect(next == ["1 and 2: redirected", "start reload 2, normal"])
  }
}
