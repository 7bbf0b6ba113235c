import IkranCodecs
import IkranPixels
import Support
import Testing

@testable import Ikran

/// The rules of loading a source of which the beginning is enough for some requests.
@Suite struct SourceLoadPrefixTests {
  private typealias Script = LoadScript

  private let small = Style.circle(24)
  private let prefix: BodyPrefix

  init() throws {
    var sample = JPEGSample(width: 320, height: 320, sampling: .quarter)
    sample.isProgressive = true
    let file = sample.bytes()
    // A byte less than all: the last scan is not whole.
    let beginning = Array(file.dropLast(3))
    let scans = JPEGPrefix(beginning.span)
    prefix = BodyPrefix(jpeg: try #require(scans), validator: "\"1\"", total: file.count)
  }

  private var arriving: Body {
    var body = Script.body(nil)
    body.prefix = prefix
    return body
  }

  private func arrived(_ number: UInt64) -> SourceLoad.KnownSource {
    var found = Script.arrived(number)
    found.knownBody?.body.prefix = prefix
    return found
  }

  @Test func itIsEnoughForASmallPictureOnly() {
    #expect(prefix.isEnough(for: .cover(PixelSize(width: 24, height: 24))))
    #expect(!prefix.isEnough(for: .original))
  }

  @Test func aRequestThatNeedsMoreGetsTheNextTransfer() {
    var load = Script()
    load.subscribe(1, style: small, stopsEarly: true)
    load.subscribe(2, style: .original, stopsEarly: true)
    load.subscribe(3)
    let received = load(.received(1, arriving))
    #expect(received == ["batch 1, normal: render network for 1"])
    #expect(
      load(.rendered(batch: 1, arrived(1))) == ["deliver batch 1 to 1", "start transfer 2, normal"]
    )
    let rest = load(.received(2, Script.body(nil)))
    #expect(rest == ["batch 2, normal: render network for 2 and 3"])
    load(.rendered(batch: 2, Script.arrived(1)))
    #expect(load.load.isIdle)
  }

  @Test func aRequestThatCameLateAndNeedsLessIsRenderedFromIt() {
    var load = Script()
    load.subscribe(1, style: small, stopsEarly: true)
    load(.received(1, arriving))
    #expect(load.subscribe(2, style: .circle(26), stopsEarly: true) == [])
    let rendered = load(.rendered(batch: 1, arrived(1)))
    #expect(rendered == ["deliver batch 1 to 1", "batch 2, normal: render network for 2"])
  }

  @Test func aRequestThatDoesNotAllowItIsNotRenderedFromIt() {
    var load = Script()
    load.subscribe(1, style: small, stopsEarly: true)
    load(.received(1, arriving))
    load.subscribe(2, style: .circle(26))
    #expect(
      load(.rendered(batch: 1, arrived(1))) == ["deliver batch 1 to 1", "start transfer 2, normal"]
    )
  }

  @Test func theTransferMayEndWhenAllWhoWaitAllowIt() {
    var load = Script()
    load.subscribe(1, style: small, stopsEarly: true)
    #expect(load.load.needs(of: 1)?.fittings == [.cover(PixelSize(width: 24, height: 24))])
    load.subscribe(2, style: .original, stopsEarly: true)
    #expect(load.load.needs(of: 1)?.count == 2)
    load.subscribe(3, style: small)
    #expect(load.load.needs(of: 1) == nil)
    load(.unsubscribe(3))
    load.subscribe(4, stopsEarly: true)
    #expect(load.load.needs(of: 1) == nil)
    load(.unsubscribe(4))
    #expect(load.load.needs(of: 1)?.count == 2)
    #expect(load.load.needs(of: 2) == nil)
  }

  @Test func aFileMayBeABeginningWithEnoughPixels() {
    var load = Script()
    load.subscribe(1, needing: { _ in .cover(PixelSize(width: 24, height: 24)) })
    load.subscribe(2, needing: { _ in .original })
    load.subscribe(3, needing: { _ in nil })
    #expect(load.load.needs(of: 1)?.count == 3)
    #expect(load(.received(1, arriving)) == ["batch 1, normal: render network for 1"])
    #expect(load(.undecodable(batch: 1, .noImage)) == ["start transfer 2, normal"])
    #expect(load.load.needs(of: 2) == nil)
  }

  @Test func ofAFileOfUnknownLengthAllIsNeeded() throws {
    let unknown = BodyPrefix(jpeg: prefix.jpeg, validator: "\"1\"", total: nil)
    let small = Fitting.cover(PixelSize(width: 24, height: 24))
    #expect(unknown.isEnough(for: .pixels(small)))
    #expect(prefix.isEnough(for: .bytes { _ in small }))
    #expect(!unknown.isEnough(for: .bytes { _ in small }))
  }

  @Test func whenItCannotBeDecodedTheRestIsTransferred() {
    var load = Script()
    load.subscribe(1, style: small, stopsEarly: true)
    load(.received(1, arriving))
    #expect(load(.undecodable(batch: 1, .noImage)) == ["start transfer 2, normal"])
    #expect(load.load.needs(of: 2) == nil)
    let rest = load(.received(2, Script.body(nil)))
    #expect(rest == ["batch 2, normal: render network for 1"])
    #expect(load(.undecodable(batch: 2, .noImage)) == ["1: failed: \(ImageError.noImage)"])
  }

  @Test func aCopyThatCannotBeDecodedIsTransferredWhole() {
    var load = Script()
    load.subscribe(1, reads: .disk, style: small, stopsEarly: true)
    var found = Script.found(1)
    found.knownBody?.body.prefix = prefix
    #expect(load(.cachesRead(.disk, found)) == ["batch 1, normal: render disk for 1"])
    #expect(load(.undecodable(batch: 1, .noImage)) == ["start transfer 1, normal"])
  }

  @Test func offlineItStandsInForNothingLarger() {
    var load = Script()
    load.subscribe(1, .cached, reads: .disk, style: .original, stopsEarly: true)
    var found = Script.found(1)
    found.knownBody?.body.prefix = prefix
    #expect(load(.cachesRead(.disk, found)) == ["1: not cached"])
  }
}
