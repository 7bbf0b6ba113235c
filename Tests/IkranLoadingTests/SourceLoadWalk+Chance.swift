import IkranStores

@testable import Ikran

// What happens by chance, and what is expected of it.

extension SourceLoadWalk {
  mutating func expect(_ holds: Bool, _ promise: @autoclosure () -> String) {
    if !holds, violation == nil { violation = promise() }
  }

  mutating func number(in range: Range<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  mutating func pick<Item>(_ items: [Item]) -> Item { items[number(in: 0..<items.count)] }

  var anyone: SourceLoad.SubscriberID? {
    mutating get { waiting.keys.sorted().randomElement(using: &random) }
  }

  var anyBody: BodyID {
    mutating get { LoadScript.id(UInt64(number(in: 1..<4))) }
  }

  mutating func anyFound(_ source: ImageSource?) -> SourceLoad.KnownSource {
    let validities: [SourceLoad.Validity] = [
      .fresh, .staleWhileRevalidate, .stale(usableOnError: true), .stale(usableOnError: false),
    ]
    var found = LoadScript.found(
      UInt64(number(in: 1..<4)),
      pick(validities),
      in: source,
      hasValidators: number(in: 0..<3) > 0
    )
    found.age = .seconds(pick([0, 5, 20]))
    return found
  }

  /// What a request wants.
  mutating func anyContent() -> SourceLoad.Want.Content {
    let styles: [Style?] = [
      nil, .circle(10), .circle(20), .rounded(width: 10, height: 10, cornerRadius: 2),
    ]
    if number(in: 0..<6) == 0 { return .validation }
    guard let style = pick(styles) else { return .file(nil) }
    let caller = pick([nil, nil, anyBody])
    return .image(.init(target: LoadScript.renderTarget(style), callerBodyID: caller))
  }
}
