#if canImport(QuartzCore) && !os(watchOS)
import Foundation
import IkranViews
import ObjectiveC
import QuartzCore

/// The frames of one window, by a display link that runs only while a view wants them.
@MainActor
final class DisplayClock: FrameClock {
  /// What a display link calls; it makes the link, too.
  typealias Making = @MainActor (_ target: Any, _ selector: Selector) -> CADisplayLink?

  private final class Follower: FrameCallback {
    private weak var clock: DisplayClock?
    private let number: Int
    let body: @MainActor (Int) -> Bool

    init(_ clock: DisplayClock, number: Int, body: @escaping @MainActor (Int) -> Bool) {
      (self.clock, self.number, self.body) = (clock, number, body)
    }

    func cancel() { clock?.remove(number) }
  }

  private static let key = AssociationKey()
  /// How long a link stands before it ends, in milliseconds.
  private static let rest = 1000

  private let make: Making
  private var demand = FrameDemand()
  private var followers: [Int: Follower] = [:]
  private var link: CADisplayLink?
  /// Counts how often the link was started, so that an earlier rest does not end it.
  private var starts = 0

  init(_ make: @escaping Making) { self.make = make }

  /// The clock of a window, made the first time; it ends with the window.
  static func of(_ window: AnyObject, _ make: @escaping Making) -> DisplayClock {
    if let clock = key.value(of: window) as? DisplayClock { return clock }
    let clock = DisplayClock(make)
    key.set(clock, on: window)
    return clock
  }

  func follow(
    every milliseconds: Int,
    _ body: @escaping @MainActor (Int) -> Bool
  ) -> any FrameCallback {
    let number = demand.add(interval: milliseconds)
    let follower = Follower(self, number: number, body: body)
    followers[number] = follower
    start()
    return follower
  }

  private func start() {
    starts += 1
    if link == nil {
      let target = LinkTarget(self)
      link = make(target, #selector(LinkTarget.tick(_:)))
      link?.add(to: .main, forMode: .common)
    }
    setRate()
    link?.isPaused = false
  }

  private func setRate() {
    let rate = demand.rate(savesPower: ProcessInfo.processInfo.isLowPowerModeEnabled)
    let range = rate.map {
      CAFrameRateRange(
        minimum: Float($0.minimum),
        maximum: Float($0.maximum),
        preferred: Float($0.preferred)
      )
    }
    link?.preferredFrameRateRange = range ?? .default
  }

  private func remove(_ number: Int) {
    guard followers.removeValue(forKey: number) != nil else { return }
    demand.remove(number)
    guard demand.isEmpty else { return setRate() }
    link?.isPaused = true
    let starts = starts
    MainRunLoop.shared.post(afterMilliseconds: Self.rest) { [weak self] in
      guard let self, self.starts == starts else { return }
      self.link?.invalidate()
      self.link = nil
    }
  }

  /// A frame begins, at a time in microseconds.
  fileprivate func tick(_ time: Int) {
    for (number, follower) in followers where followers[number] != nil {
      if !follower.body(time) { remove(number) }
    }
  }
}

/// What a display link retains in place of the clock.
@MainActor
private final class LinkTarget: NSObject {
  private weak var clock: DisplayClock?

  init(_ clock: DisplayClock) {
    self.clock = clock
    super.init()
  }

  @objc func tick(_ link: CADisplayLink) {
    guard let clock else { return link.invalidate() }
    clock.tick(Int(link.timestamp * 1e6))
  }
}
#endif
