import IkranPixels
import Testing

@testable import Ikran

/// The rules of loading a source: caches, demands, batches.
@Suite struct SourceLoadTests {
  private typealias Script = LoadScript

  // MARK: - Caches

  @Test func theCachesAreReadFirstAndOnce() {
    var load = Script()
    #expect(load.subscribe(1, reads: .bodies) == ["read memory and disk"])
    #expect(load.subscribe(2, reads: .bodies) == [])
    #expect(load(.cachesRead(.bodies, nil)) == ["start transfer 1, normal"])
    #expect(load.subscribe(3, reads: .bodies) == [])
  }

  @Test func aSecondSubscriberReadsOnlyTheCacheThatTheFirstSkips() {
    var load = Script()
    #expect(load.subscribe(1, reads: .memory) == ["read memory"])
    #expect(load.subscribe(2, reads: .bodies) == ["read disk"])
    #expect(load(.cachesRead(.memory, nil)) == ["start transfer 1, normal"])
    #expect(load(.cachesRead(.disk, Script.found(1))) == ["batch 1, normal: render disk for 2"])
  }

  @Test func theDiskIsStillUnreadWhenMemoryHadTheFile() {
    var load = Script()
    load.subscribe(1, reads: .bodies, style: .original)
    load(.cachesRead(.bodies, Script.found(1, in: .memory)))
    #expect(load.subscribe(2, reads: .disk, style: .original) == ["read disk"])
    #expect(load(.cachesRead(.disk, Script.found(1))) == [])
    #expect(load.load.members(of: 1) == [1, 2])
  }

  @Test func aCacheThatWasReadBeforeTheSourceWasRemovedIsReadAgain() {
    var load = Script()
    load.subscribe(1, reads: .disk)
    load(.invalidated)
    #expect(load(.cachesRead(.disk, Script.found(1))) == ["read disk"])
    #expect(load(.cachesRead(.disk, nil)) == ["start transfer 1, normal"])
  }

  @Test func aStoredRedirectThatWasReadBeforeItWasRemovedIsNotFollowed() {
    var load = Script()
    load.subscribe(1, reads: .disk)
    load(.invalidated)
    #expect(load(.storedRedirect(.disk)) == ["read disk"])
  }

  @Test func aRecordThatWasReadBeforeTheSourceWasRemovedIsReadAgain() {
    var load = Script()
    let known = Script.found(1, .stale(usableOnError: false), in: nil, hasValidators: false)
    #expect(load.subscribe(1, reads: .disk, callerBodyID: 1, known: known) == ["read the record"])
    load(.invalidated)
    load(.recordRead(Script.found(1, in: nil)))
    #expect(load.load.found == nil)
  }

  @Test func whatIsFreshForOneRequestIsStaleForAnother() {
    var load = Script()
    let stale = Script.found(1, .stale(usableOnError: false), in: nil)
    let started = load.subscribe(1, callerBodyID: 1, known: stale)
    #expect(started == ["start transfer 1, normal, conditional"])
    #expect(load.subscribe(2, callerBodyID: 1, known: Script.found(1, in: nil)) == ["2: unchanged"])
    #expect(load(.failed(1, .gone)) == ["1: failed: \(ImageError.gone)"])
  }

  @Test func whatACacheHasIsJudgedByEachRequest() {
    var load = Script()
    load.subscribe(1, reads: .disk, expiry: .after(.seconds(10)))
    load.subscribe(2, reads: .disk)
    var found = Script.found(1)
    found.age = .seconds(20)
    let next = load(.cachesRead(.disk, found))
    let transfer = "start transfer 1, normal, conditional, once"
    #expect(next == ["batch 1, normal: render disk for 2", transfer])
  }

  @Test func aDamagedCopyIsTransferredAgainForThoseWhoGetNothingOfIt() {
    var load = Script()
    load.subscribe(1, reads: .disk, style: .circle(10))
    load.subscribe(2, reads: .disk, style: .circle(20))
    load(.cachesRead(.disk, Script.found(1)))
    let undrawn: Set = [Script.renderTarget(.circle(20))]
    let next = load(.rendered(batch: 1, Script.found(1), undrawn: undrawn))
    #expect(next == ["deliver batch 1 to 1", "start transfer 1, normal"])
  }

  @Test func everythingEndsAtOnce() {
    var load = Script.read(Script.found(1))
    load.subscribe(2, .reloaded)
    let end = "1 and 2: failed: \(ImageError.cancelled)"
    #expect(load(.cancelled) == [end, "withdraw batch 1", "cancel the transfer"])
    load(.failed(1, .cancelled))
    #expect(load.load.isIdle)
  }

  @Test func whatIsFreshInACacheIsRendered() {
    var load = Script()
    load.subscribe(1, reads: .disk)
    #expect(load(.cachesRead(.disk, Script.found(1))) == ["batch 1, normal: render disk for 1"])
    #expect(load(.rendered(batch: 1, Script.found(1))) == ["deliver batch 1 to 1"])
    #expect(load.load.isIdle)
  }

  @Test func whatIsStaleWhileItIsRevalidatedIsRendered() {
    let load = Script.read(Script.found(1, .staleWhileRevalidate))
    #expect(load.load.members(of: 1) == [1])
  }

  @Test func whatIsStaleIsRevalidatedFirst() {
    var load = Script()
    load.subscribe(1, reads: .disk)
    let stale = Script.found(1, .stale(usableOnError: false))
    #expect(load(.cachesRead(.disk, stale)) == ["start transfer 1, normal, conditional"])
  }

  @Test func aRequestForCachesAloneTakesWhatIsStaleAndStartsNoTransfer() {
    var load = Script()
    #expect(load.subscribe(1, .cached, reads: .disk) == ["read disk"])
    #expect(load.subscribe(2, .cached, callerBodyID: 7) == ["2: not cached"])
    let stale = Script.found(1, .stale(usableOnError: false))
    #expect(load(.cachesRead(.disk, stale)) == ["batch 1, normal: render disk for 1"])
  }

  @Test func aRequestForCachesAloneEndsWhenTheyHaveNothing() {
    var load = Script()
    load.subscribe(1, .cached, reads: .bodies)
    #expect(load(.cachesRead(.bodies, nil)) == ["1: not cached"])
    #expect(load.load.isIdle)
  }

  @Test func aRequestForCachesAloneDoesNotWaitForATransferOfOthers() {
    var load = Script.read(nil)
    #expect(load.subscribe(2, .cached, .high, reads: .disk) == ["2: not cached"])
  }

  @Test func aStoredRedirectResumesThoseWhoReadCaches() {
    var load = Script()
    load.subscribe(1, reads: .disk)
    load.subscribe(2, .cached, reads: .disk)
    load.subscribe(3, .revalidated, reads: .disk)
    let expected = ["1 and 2: follow the stored redirect", "start transfer 1, normal"]
    #expect(load(.storedRedirect(.disk)) == expected)
  }

  // MARK: - Images that callers hold

  @Test func aHeldImageOfFreshBytesIsUnchanged() {
    var load = Script()
    let known = Script.found(1, in: nil)
    #expect(load.subscribe(1, reads: .disk, callerBodyID: 1, known: known) == ["1: unchanged"])
  }

  @Test func aHeldImageOfOtherBytesIsNot() {
    var load = Script()
    let known = Script.found(2, in: nil)
    #expect(load.subscribe(1, reads: .disk, callerBodyID: 1, known: known) == ["read disk"])
  }

  @Test func theRecordIsReadWhenAHeldImageHasNoValidators() {
    var load = Script()
    let known = Script.found(1, .stale(usableOnError: false), in: nil, hasValidators: false)
    let first = load.subscribe(1, reads: .disk, callerBodyID: 1, known: known)
    #expect(first == ["read the record"])
    #expect(load.subscribe(2, .revalidated, reads: .disk, callerBodyID: 1, known: known) == [])
    let record = Script.found(1, .stale(usableOnError: false), in: nil)
    #expect(load(.recordRead(record)) == ["start transfer 1, normal, conditional"])
  }

  @Test func aRecordThatIsNotThereIsReadOnce() {
    var load = Script()
    load.subscribe(1, .revalidated, reads: .disk, validates: true)
    #expect(load(.recordRead(nil)) == ["start transfer 1, normal"])
    #expect(load.subscribe(2, .revalidated, reads: .disk, validates: true) == [])
  }

  @Test func validationAloneNeedsNoBody() {
    var load = Script()
    let known = Script.found(1, in: nil)
    let first = load.subscribe(1, .revalidated, reads: .disk, validates: true, known: known)
    #expect(first == ["start transfer 1, normal, conditional"])
    #expect(load(.notModified(1, Script.found(1, in: nil))) == ["1: unchanged"])
  }

  // MARK: - Batches

  @Test func theSameDrawingIsJoined() {
    var load = Script.read(Script.found(1), .circle(10))
    #expect(load.subscribe(2, reads: .disk, style: .circle(10)) == [])
    #expect(load.load.members(of: 1) == [1, 2])
    load(.rendered(batch: 1, Script.found(1)))
    #expect(load.load.isIdle)
  }

  @Test func theSameDrawingIsNotJoinedByOneWhoWantsItStoredElsewhere() {
    var load = Script.read(Script.found(1), .circle(10), stores: .memory)
    let next = load.subscribe(2, reads: .disk, stores: .all, style: .circle(10))
    #expect(next == ["batch 2, normal: render disk for 2"])
  }

  @Test func aDrawingOfTheSamePixelsWaitsForTheirDecode() {
    var load = Script.read(Script.found(1), .circle(10))
    #expect(
      load.subscribe(2, reads: .disk, style: .rounded(width: 10, height: 10, cornerRadius: 2)) == []
    )
    #expect(load.load.members(of: 1) == [1])
    let next = load(.rendered(batch: 1, Script.found(1)))
    #expect(next == ["deliver batch 1 to 1", "batch 2, normal: render disk for 2"])
  }

  @Test func aDrawingOfOtherPixelsIsABatchOfItsOwn() {
    var load = Script.read(Script.found(1), .circle(10))
    let next = load.subscribe(2, reads: .disk, style: .circle(20))
    #expect(next == ["batch 2, normal: render disk for 2"])
  }

  @Test func aDrawingThatWaitsIsRenderedWhenTheBatchBeforeItIsWithdrawn() {
    var load = Script.read(Script.found(1), .circle(10))
    load.subscribe(2, reads: .disk, style: .rounded(width: 10, height: 10, cornerRadius: 2))
    let next = load(.unsubscribe(1))
    #expect(
      next == [
        "1: failed: \(ImageError.cancelled)", "withdraw batch 1",
        "batch 2, normal: render disk for 2",
      ]
    )
  }

  @Test func aDrawingOfOlderBytesIsNotJoined() {
    var load = Script.read(Script.found(1), .circle(10))
    load.subscribe(2, .reloaded)
    load(.received(1, Script.body(nil)))
    load.subscribe(3, reads: .disk, style: .circle(20))
    load(.rendered(batch: 2, Script.arrived(2)))
    let next = load.subscribe(4, reads: .disk, style: .circle(10))
    #expect(next == ["batch 4, normal: render network for 4"])
  }

  @Test func whatIsKnownToBeStaleIsNotShared() {
    var load = Script.read(Script.found(1), .circle(10))
    let stale = Script.found(1, .stale(usableOnError: false), in: nil)
    let next = load.subscribe(2, reads: .disk, style: .circle(10), known: stale)
    #expect(next == ["start transfer 1, normal, conditional"])
  }

  @Test func aBatchThatIsNotWaitedForIsWithdrawn() {
    var load = Script.read(Script.found(1))
    #expect(load(.unsubscribe(1)) == ["1: failed: \(ImageError.cancelled)", "withdraw batch 1"])
    #expect(load.load.isIdle)
    #expect(load(.rendered(batch: 1, Script.found(1))) == [])
    #expect(load(.undecodable(batch: 1, .noImage)) == [])
  }

  @Test func aBatchHasTheHighestPriorityOfThoseWhoWaitForIt() {
    var load = Script.read(Script.found(1), .circle(10))
    let joined = load.subscribe(2, .fresh, .high, reads: .disk, style: .circle(10))
    #expect(joined == ["batch 1 with high"])
    #expect(load(.setPriority(2, .low)) == ["batch 1 with normal"])
    let behind = load.subscribe(
      3,
      .fresh,
      .high,
      reads: .disk,
      style: .rounded(width: 10, height: 10, cornerRadius: 2)
    )
    #expect(behind == ["batch 1 with high"])
  }

  // MARK: - Damage

  @Test func aCopyThatCannotBeDecodedIsTransferredAgainOnce() {
    var load = Script.read(Script.found(1))
    #expect(load(.undecodable(batch: 1, .noImage)) == ["start transfer 1, normal"])
    load(.received(1, Script.body(nil)))
    #expect(load(.undecodable(batch: 2, .noImage)) == ["1: failed: \(ImageError.noImage)"])
    #expect(load.load.isIdle)
  }

  @Test func aDamagedCopyThatTheOriginHasConfirmedIsTransferredAgain() {
    var load = Script.read(Script.found(1, .stale(usableOnError: false)))
    let confirmed = Script.found(1, in: nil)
    #expect(load(.notModified(1, confirmed)) == ["batch 1, normal: render disk for 1"])
    #expect(load(.undecodable(batch: 1, .noImage)) == ["start transfer 2, normal"])
  }

  @Test func aDamagedCopyFailsARequestForCachesAlone() {
    var load = Script()
    load.subscribe(1, .cached, reads: .disk)
    load(.cachesRead(.disk, Script.found(1)))
    #expect(load(.undecodable(batch: 1, .noImage)) == ["1: failed: \(ImageError.noImage)"])
  }

  @Test func aDamagedCopyLeavesNewerBytesAlone() {
    var load = Script.read(Script.found(1), .circle(10))
    load.subscribe(2, .reloaded)
    load(.received(1, Script.body(nil)))
    load(.rendered(batch: 2, Script.arrived(2)))
    load.subscribe(3, reads: .disk, style: .circle(30))
    let next = load(.undecodable(batch: 1, .noImage))
    #expect(next == ["batch 4, normal: render network for 1"])
    #expect(load.load.members(of: 3) == [3])
  }

  @Test func anArrivalThatIsNoImageFailsThoseWhoCameMeanwhileToo() {
    var load = Script()
    load.subscribe(1)
    load(.received(1, Script.body(nil)))
    #expect(load.subscribe(2) == [])
    let error = ImageError.noImage
    #expect(load(.undecodable(batch: 1, error)) == ["1 and 2: failed: \(error)"])
  }
}
