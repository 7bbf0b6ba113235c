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
  private var link: LinkTarget?
  /// Counts how often the link was started, so that an earlier rest does not end it.
  private var starts = 0

  init(_ make: @escaping Making) { self.make = make }

  deinit {
    // A run loop keeps a link until it is invalidated, and one that is paused never calls.
    guard let link else { return }
    MainRunLoop.shared.post { link.invalidate() }
  }

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
    if link == nil { link = LinkTarget.make(for: self, make) }
    setRate()
    link?.isPaused = false
  }

  /// As the followers and the system's saving of power have it.
  fileprivate func setRate() {
    let rate = demand.rate(savesPower: ProcessInfo.processInfo.isLowPowerModeEnabled)
    let range = rate.map {
      CAFrameRateRange(
        minimum: Float($0.minimum),
        maximum: Float($0.maximum),
        preferred: Float($0.preferred)
      )
    }
    link?.setRange(range ?? .default)
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

/// A display link, and what it retains in place of the clock.
@MainActor
private final class LinkTarget: NSObject {
  private weak var clock: DisplayClock?
  /// It retains this object until it is invalidated.
  private var link: CADisplayLink?

  private init(_ clock: DisplayClock) {
    self.clock = clock
    super.init()
  }

  /// A link in the main run loop; nil where none can be made.
  static func make(for clock: DisplayClock, _ make: DisplayClock.Making) -> LinkTarget? {
    let target = LinkTarget(clock)
    guard let link = make(target, #selector(tick(_:))) else { return nil }
    target.link = link
    link.add(to: .main, forMode: .common)
    NotificationCenter.default.addObserver(
      target,
      selector: #selector(powerStateDidChange(_:)),
      name: .NSProcessInfoPowerStateDidChange,
      object: nil
    )
    return target
  }

  var isPaused: Bool {
    get { link?.isPaused ?? true }
    set { link?.isPaused = newValue }
  }

  func setRange(_ range: CAFrameRateRange) { link?.preferredFrameRateRange = range }

  /// Ends it; doing it again does nothing.
  func invalidate() {
    link?.invalidate()
    link = nil
  }

  @objc func tick(_ link: CADisplayLink) {
    guard let clock else { return invalidate() }
    clock.tick(Int(link.timestamp * 1e6))
  }

  /// The system tells this on any thread.
  @objc nonisolated func powerStateDidChange(_ notification: NSNotification) {
    MainRunLoop.shared.post { [weak self] in self?.clock?.setRate() }
  }
}
#endif
