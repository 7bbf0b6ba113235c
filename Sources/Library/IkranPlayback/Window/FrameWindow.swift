/// Decides which frames of one animation are decoded next and which are dropped.
///
/// It is a value without lock, thread or pixels. One window serves all players of an animation.
/// One frame is decoded at a time.
package struct FrameWindow: Sendable {
  /// Where a player is.
  package struct Viewer: Sendable, Hashable {
    /// The order in which its frames follow.
    package var order: PlayingOrder
    /// The step of the frame that is due.
    package var step: Int
    /// How many steps ago the player has shown a frame: 0 when it shows the frame that is due.
    ///
    /// A frame of one of those steps is better than the one that it shows.
    package var late: Int
    /// Whether frames follow: false for a still.
    package var isMoving: Bool
    /// Whether another loop follows this one.
    package var repeats: Bool

    package init(
      order: PlayingOrder,
      step: Int,
      late: Int = 1,
      isMoving: Bool = true,
      repeats: Bool = true
    ) {
      self.order = order
      self.step = step
      self.late = late
      self.isMoving = isMoving
      self.repeats = repeats
    }

    /// How many steps ahead its last frame is that is not shown before: 0 for a still.
    var reach: Int {
      guard isMoving else { return 0 }
      return repeats ? order.count : max(1, order.count - step)
    }
  }

  /// What is to be done now.
  package struct Plan: Sendable, Hashable {
    /// The frame that is to be decoded; nil when there is none, or one is being decoded.
    package var decode: Int?
    /// Whether a player waits for that frame.
    package var isDue = false
    /// Frames that are to be released.
    package var drop: [Int] = []

    package init(decode: Int? = nil, isDue: Bool = false, drop: [Int] = []) {
      self.decode = decode
      self.isDue = isDue
      self.drop = drop
    }
  }

  /// How many frames are kept.
  package var buffering: FrameBuffering
  /// The animation's share of the budget.
  package var byteLimit: Int
  /// The number of frames; it only grows.
  package var frameCount: Int {
    didSet { sizes.append(contentsOf: repeatElement(nil, count: max(0, frameCount - sizes.count))) }
  }
  /// The players that show this animation, in the order in which they came.
  package private(set) var viewers: [(id: UInt64, viewer: Viewer)] = []
  /// The bytes that composing takes in addition, while players move and not all frames are kept.
  package let canvasBytes: Int
  /// The bytes of the largest frame so far, or what is expected.
  package private(set) var frameBytes: Int
  /// The frames that are kept, in no order.
  package private(set) var kept: [Int] = []
  /// The bytes of all frames that are kept.
  package private(set) var byteCount = 0
  /// The frame that is being decoded.
  package private(set) var decoding: Int?
  /// Frames that could not be decoded; they are not tried again.
  package private(set) var failed: Set<Int> = []
  /// The bytes of each frame that is kept.
  private var sizes: [Int?]
  private var wanted = WantedFrames()

  /// The frames of one player in the automatic mode when not all fit.
  package static let automaticCount = 8

  package init(
    frameCount: Int,
    frameBytes: Int,
    canvasBytes: Int = 0,
    byteLimit: Int,
    buffering: FrameBuffering
  ) {
    self.frameCount = max(1, frameCount)
    self.frameBytes = max(1, frameBytes)
    self.canvasBytes = canvasBytes
    self.byteLimit = byteLimit
    self.buffering = buffering
    sizes = Array(repeating: nil, count: self.frameCount)
  }

  /// The bytes of so many frames, at most `Int.max`.
  package func byteCount(of frames: Int) -> Int {
    let (bytes, overflow) = frameBytes.multipliedReportingOverflow(by: max(0, frames))
    return overflow ? .max : bytes
  }

  /// Whether a player needs one frame after the other.
  package var isMoving: Bool { viewers.contains { $0.viewer.isMoving } }

  /// The bytes of so many frames, and of what composes the others while players move.
  package func byteCountWithCanvas(of frames: Int) -> Int {
    let bytes = byteCount(of: frames)
    let canvas = isMoving && frames < frameCount ? canvasBytes : 0
    return bytes > .max - canvas ? .max : bytes + canvas
  }

  /// Where a player is; nil when it shows nothing of this animation.
  package func viewer(_ id: UInt64) -> Viewer? {
    viewers.first { $0.id == id }?.viewer
  }

  /// Says where a player is; nil when it shows nothing any more.
  ///
  /// - Returns: Whether it has come or gone.
  @discardableResult
  package mutating func setViewer(_ viewer: Viewer?, of id: UInt64) -> Bool {
    let index = viewers.firstIndex { $0.id == id }
    switch (index, viewer) {
    case (let index?, let viewer?): viewers[index].viewer = viewer
    case (let index?, nil): viewers.remove(at: index)
    case (nil, let viewer?): viewers.append((id, viewer))
    case (nil, nil): break
    }
    return (index == nil) != (viewer == nil)
  }

  /// Ends the decoding of a frame.
  ///
  /// - Parameters:
  ///   - frame: The frame of the plan.
  ///   - bytes: Its size; nil when it could not be decoded.
  package mutating func finish(_ frame: Int, bytes: Int?) {
    if decoding == frame { decoding = nil }
    guard let bytes else {
      failed.insert(frame)
      return
    }
    if sizes[frame] == nil { kept.append(frame) }
    byteCount += bytes - (sizes[frame] ?? 0)
    sizes[frame] = bytes
    frameBytes = max(frameBytes, bytes)
  }

  /// Ends the decoding of a frame without a result; it may be tried again.
  package mutating func abandon(_ frame: Int) {
    if decoding == frame { decoding = nil }
  }

  /// Lets frames that could not be decoded be tried again: there is more of the file.
  package mutating func retryFailed() { failed = [] }

  /// Says what to decode and what to drop, and takes note of it.
  ///
  /// Afterwards the frames that are kept or being decoded, with what composing takes, are within
  /// ``byteLimit``, or are those that players wait for or show.
  ///
  /// Cost: proportional to the number of frames that may be kept, or nothing when all frames are;
  /// it allocates nothing but the list of what is dropped.
  package mutating func next() -> Plan {
    if kept.count == frameCount, capacity >= frameCount, decoding == nil { return Plan() }
    rankFrames()
    let isStray = decoding.map { wanted.rank(of: $0) == nil } ?? false
    let room = max(wanted.required, capacity - (isStray ? 1 : 0))
    wanted.keep(first: room)
    var plan = Plan(drop: drop())
    guard decoding == nil else { return plan }
    for (rank, frame) in wanted.frames.enumerated() where isMissing(frame) {
      plan.isDue = rank < wanted.required
      plan.decode = plan.isDue || !wanted.isBackward(frame) ? frame : runStart(frame)
      break
    }
    decoding = plan.decode
    return plan
  }

  /// How many frames fit.
  private var capacity: Int {
    let needsCanvas = isMoving && byteLimit < byteCount(of: frameCount)
    let room = max(0, byteLimit) - (needsCanvas ? canvasBytes : 0)
    let fitting = max(0, room) / frameBytes
    return switch buffering {
    case .none: 0
    case .automatic, .all: fitting
    case .frames(let count): min(max(1, count), fitting)
    case .bytes(let bytes): min(max(0, bytes) / frameBytes, fitting)
    }
  }

  private func isMissing(_ frame: Int) -> Bool { sizes[frame] == nil && !failed.contains(frame) }

  private mutating func drop() -> [Int] {
    var dropped: [Int] = []
    for index in kept.indices.reversed() where wanted.rank(of: kept[index]) == nil {
      let frame = kept[index]
      kept.swapAt(index, kept.endIndex - 1)
      kept.removeLast()
      byteCount -= sizes[frame] ?? 0
      sizes[frame] = nil
      dropped.append(frame)
    }
    return dropped.sorted()
  }

  /// Frames are composed forwards: those that are shown backwards are decoded in short runs, each
  /// from its lowest frame on.
  private func runStart(_ frame: Int) -> Int {
    var start = frame
    while start > 0, frame - start < Self.automaticCount - 1, wanted.rank(of: start - 1) != nil,
      isMissing(start - 1)
    {
      start -= 1
    }
    return start
  }

  /// Sorts the frames that players show next by how soon they do.
  private mutating func rankFrames() {
    wanted.begin(frameCount: frameCount)
    let capacity = capacity
    guard !viewers.isEmpty else {
      for frame in kept.sorted().prefix(max(0, byteLimit) / frameBytes) { wanted.add(frame) }
      return
    }
    for (_, viewer) in viewers { wanted.add(required(by: viewer)) }
    wanted.required = wanted.frames.count
    for (_, viewer) in viewers { wanted.add(clamped(viewer.order.frame(at: viewer.step))) }
    let isShort = buffering == .automatic && capacity < frameCount
    let furthest = viewers.reduce(0) { max($0, $1.viewer.reach) }
    let ahead = min(furthest, isShort ? Self.automaticCount - 1 : frameCount * 2)
    var distance = 1
    while distance <= ahead, wanted.frames.count < min(capacity, frameCount) {
      for (_, viewer) in viewers where distance <= viewer.reach {
        if wanted.frames.count < capacity { add(distance, after: viewer) }
      }
      distance += 1
    }
  }

  /// Adds the frame `distance` steps ahead.
  private mutating func add(_ distance: Int, after viewer: Viewer) {
    let step = viewer.step + distance
    guard step < viewer.order.count || viewer.repeats else {
      return wanted.add(clamped(viewer.order.finalFrame))
    }
    let inLoop = step % viewer.order.count
    wanted.add(
      clamped(viewer.order.frame(at: inLoop)),
      isBackward: viewer.order.isBackward(at: inLoop)
    )
  }

  /// The frame that is due; if it is missing, a later one than shown that is kept.
  private func required(by viewer: Viewer) -> Int {
    best(for: viewer)?.frame ?? clamped(viewer.order.frame(at: viewer.step))
  }

  /// The best frame that is kept for a player to show next; nil when it has to stay where it is.
  ///
  /// It is the one that is due, or the last before that is later than what is shown.
  ///
  /// - Returns: Its number, and how many steps ago it was due.
  package func best(for viewer: Viewer) -> (frame: Int, late: Int)? {
    var step = viewer.step
    for late in 0..<min(max(1, viewer.late), viewer.order.count) {
      let frame = clamped(viewer.order.frame(at: step))
      if sizes[frame] != nil { return (frame, late) }
      step = step == 0 ? viewer.order.count - 1 : step - 1
    }
    return nil
  }

  private func clamped(_ frame: Int) -> Int { min(max(0, frame), frameCount - 1) }
}
