import Dispatch
import IkranCodecs
import IkranPixels
import IkranPlayback
import IkranStores
import Support

/// Frames of 4 × 4 pixels that say their numbers, and a list of what was composed.
struct FakeFrames: FrameSource {
  /// The bytes of one frame: rows are 64 bytes long.
  static let frameBytes = 256

  var info: AnimationInfo
  /// Frames that cannot be composed.
  var damaged: Set<Int> = []
  /// A frame that is not there before its composing is cancelled, the first time.
  var endless: Int?
  /// Lets the test go on once that frame is waited for.
  let isWaitedFor = Latch()
  private let log = Guarded<[Int]>([])

  init(_ durations: [Int], plays: Int? = nil, end: AnimationInfo.End = .complete) {
    info = AnimationInfo(
      format: .gif,
      size: PixelSize(width: 4, height: 4),
      hasAlpha: false,
      frames: durations.map {
        AnimationInfo.Frame(duration: $0, isKey: false, isBase: true)
      },
      plays: plays,
      end: end
    )
  }

  /// The frames that were composed, in order.
  var composed: [Int] { log.withLock { $0 } }

  func makeComposer() -> sending any FrameComposer {
    FakeComposer(self, log: log)
  }

  /// The number that a picture says.
  static func number(in bitmap: Bitmap) -> Int {
    bitmap.withBytes { Int($0[0]) | Int($0[1]) << 8 }
  }

  static let damage = DecodeError.malformed(.gif, offset: 7, reason: "a test damaged it")
}

private final class FakeComposer: FrameComposer {
  let frames: FakeFrames
  let log: Guarded<[Int]>
  /// Changed without a lock: ThreadSanitizer reports two threads that compose at the same time.
  var uses = 0

  init(_ frames: FakeFrames, log: Guarded<[Int]>) { (self.frames, self.log) = (frames, log) }

  func compose(
    _ frame: Int,
    from kept: (number: Int, bitmap: Bitmap)?,
    fitting: Fitting,
    workspace: Workspace
  ) throws(DecodeError) -> Bitmap {
    uses += 1
    let isAwaited = log.withLock { log in
      log.append(frame)
      return frame == frames.endless && log.count { $0 == frame } == 1
    }
    if isAwaited { throw waitUntilCancelled(workspace) }
    guard frame < frames.info.frames.count, !frames.damaged.contains(frame) else {
      throw FakeFrames.damage
    }
    do {
      var canvas = try Canvas(size: PixelSize(width: 4, height: 4), format: .bgrx)
      canvas.withMutableBytes { bytes in
        bytes[0] = UInt8(frame & 255)
        bytes[1] = UInt8(frame >> 8 & 255)
      }
      return canvas.finish()
    } catch { throw .bitmap(error) }
  }
}

extension FakeComposer {
  /// Waits as for a decoder in another process.
  private func waitUntilCancelled(_ workspace: Workspace) -> DecodeError {
    let end = DispatchSemaphore(value: 0)
    if workspace.cancellation?.onCancel({ end.signal() }) == true {
      frames.isWaitedFor.open()
      end.wait()
    }
    workspace.cancellation?.ignore()
    return .isolated(.gif, .cancelled)
  }
}

/// Jobs of a store that run when a test says so, on its thread.
final class JobList: Sendable {
  private typealias Job = @Sendable (Workspace) -> Void

  private let jobs = Guarded<[Job]>([])

  /// A store whose jobs wait in this list.
  func store(byteLimit: Int) -> AnimationStore {
    AnimationStore(byteLimit: byteLimit, trimsUnderMemoryPressure: false) { _, job in
      self.jobs.withLock { $0.append(job) }
    }
  }

  /// The number of jobs that wait.
  var count: Int { jobs.withLock { $0.count } }

  /// Runs the job that waits longest; false when none waits.
  @discardableResult
  func runOne() -> Bool {
    let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    job?(Workspace())
    return job != nil
  }

  /// Runs jobs, those that they bring about included, until none waits.
  func runAll() { while runOne() {} }
}
