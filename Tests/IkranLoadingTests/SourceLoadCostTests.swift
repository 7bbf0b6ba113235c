import Testing

@testable import Ikran

/// What an event costs a load that many wait for.
struct SourceLoadCostTests {
  @Test func aThousandWhoComeAndGoAreDecidedForOnceEach() {
    var script = LoadScript()
    for id in 1...1000 { script.subscribe(id) }
    for id in 1...1000 { script(.setPriority(id, .high)) }
    for id in 1...1000 { script(.unsubscribe(id)) }
    #expect(script.load.subscribers.isEmpty)
    #expect(script.load.decisions == 1000)
  }

  @Test func aThousandStylesOfAFileThatIsThereAreDecidedForOnceEach() {
    var script = LoadScript.read(LoadScript.found(1), .circle(1), reads: .disk)
    for id in 2...1000 { script.subscribe(id, reads: .disk, style: .circle(Double(id))) }
    for batch in 1...1000 { script(.rendered(batch: batch, LoadScript.found(1))) }
    #expect(script.load.isIdle)
    // The first one waits for the disk before.
    #expect(script.load.decisions == 1001)
  }

  @Test func oneDecodeThatEndsConcernsThoseBehindItAlone() {
    var script = LoadScript.read(LoadScript.found(1), .circle(1), reads: .disk)
    script.subscribe(2, reads: .disk, style: .circle(2))
    for id in 3...100 {
      let (width, radius) = (Double(1 + id % 2), Double(id) / 1000)
      let style = Style.rounded(width: width, height: width, cornerRadius: radius)
      script.subscribe(id, reads: .disk, style: style)
    }
    let before = script.load.decisions
    script(.rendered(batch: 1, LoadScript.found(1)))
    #expect(script.load.decisions == before + 49)
  }
}
