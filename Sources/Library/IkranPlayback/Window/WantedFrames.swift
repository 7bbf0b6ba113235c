/// The frames that players show next, by how soon they do: a list without duplicates.
///
/// It is kept from plan to plan, so that a plan allocates nothing.
struct WantedFrames: Sendable {
  private struct Place: Sendable {
    /// The plan that this belongs to.
    var plan = 0
    var rank = 0
    var isBackward = false
  }

  /// The frames, the soonest first.
  private(set) var frames: [Int] = []
  /// The first so many are wanted whatever the budget.
  var required = 0
  private var plan = 0
  /// One for each frame of the animation.
  private var places: [Place] = []

  /// Begins a plan.
  mutating func begin(frameCount: Int) {
    plan += 1
    required = 0
    frames.removeAll(keepingCapacity: true)
    if places.count < frameCount {
      places.append(contentsOf: repeatElement(Place(), count: frameCount - places.count))
    }
  }

  /// Adds a frame behind the others, unless it is there; `isBackward` when it is wanted on the way
  /// towards the first frame.
  mutating func add(_ frame: Int, isBackward: Bool = false) {
    guard places[frame].plan != plan else { return }
    places[frame] = Place(plan: plan, rank: frames.count, isBackward: isBackward)
    frames.append(frame)
  }

  /// Leaves the first so many.
  mutating func keep(first count: Int) {
    guard frames.count > count else { return }
    frames.removeLast(frames.count - count)
  }

  /// The place of a frame in the list; nil when it is not there.
  func rank(of frame: Int) -> Int? {
    let place = places[frame]
    return place.plan == plan && place.rank < frames.count ? place.rank : nil
  }

  /// Whether a frame was added on the way towards the first one.
  func isBackward(_ frame: Int) -> Bool { places[frame].isBackward }
}
