import Testing

@testable import Ikran

/// What an event costs a load that many wait for.
struct SourceLoadCostTests {
  @Test func aThousandWhoComeAndGoAreDecidedForOnceEach() {
    var script = LoadScript()
    let ids = (1...1000).map { SourceLoad.SubscriberID(value: $0) }
    for id in ids { script.subscribe(id) }
    for id in ids { script(.setPriority(id, .high)) }
    for id in ids { script(.unsubscribe(id)) }
    #expect(script.load.subscribers.isEmpty)
    #expect(script.load.decisions == 1000)
  }

  @Test func aThousandStylesOfAFileThatIsThereAreDecidedForOnceEach() {
    var script = LoadScript.read(LoadScript.found(1), .circle(1), reads: .disk)
    for number in 2...1000 {
      script.subscribe(.init(value: number), reads: .disk, style: .circle(Double(number)))
    }
    for number in 1...1000 {
      script(.rendered(batch: .init(value: number), LoadScript.found(1)))
    }
    #expect(script.load.isIdle)
    // The first one waits for the disk before.
    #expect(script.load.decisions == 1001)
  }

  @Test func oneDecodeThatEndsConcernsThoseBehindItAlone() {
    var script = LoadScript.read(LoadScript.found(1), .circle(1), reads: .disk)
    script.subscribe(2, reads: .disk, style: .circle(2))
    for number in 3...100 {
      let (width, radius) = (Double(1 + number % 2), Double(number) / 1000)
      let style = Style.rounded(width: width, height: width, cornerRadius: radius)
      script.subscribe(.init(value: number), reads: .disk, style: style)
    }
    let before = script.load.decisions
    script(.rendered(batch: 1, LoadScript.found(1)))
    #expect(script.load.decisions == before + 49)
  }
}
