import Ikran
import IkranCodecs
import IkranPlayback

/// A contact sheet on which animated images move.
struct MovingSheet: ~Copyable {
  /// An animated image and its cells.
  private struct Member {
    let durations: [Int]
    let frames: FrameReader
    let cells: [Int]
  }

  /// The most pixels of all canvases together, on each of which one source is composed: 256 MB.
  private static let canvasLimit = 64_000_000
  /// The most pixels of all frames together: what takes some seconds to encode.
  private static let pixelLimit = 400_000_000

  private var sheet: ContactSheet
  private let size: PixelSize
  private var members: [Member] = []
  private var canvasPixels = 0

  /// Prepares an empty sheet.
  init(_ layout: SheetLayout) throws {
    sheet = try ContactSheet(layout)
    size = layout.size
  }

  /// Draws an image, or the first frame of one, in cells; what would take too much memory stands
  /// still.
  mutating func draw(_ image: Bitmap, _ animation: Animation?, in cells: [Int]) throws {
    for cell in cells { try sheet.draw(image, in: cell) }
    guard let animation, let pixels = animation.info.size.pixelCount,
      canvasPixels + pixels <= Self.canvasLimit
    else { return }
    canvasPixels += pixels
    let durations = animation.info.frames.map(\.duration)
    members.append(
      Member(durations: durations, frames: FrameReader(animation), cells: cells)
    )
  }

  /// Whether anything on it moves.
  var moves: Bool { !members.isEmpty }

  /// The sheet without movement.
  consuming func finish() -> Bitmap { sheet.finish() }

  /// The sheet as an animation for ever.
  consuming func encoded(as encoding: ImageEncoding) async throws -> [UInt8] {
    let encoder = try AnimationEncoder(encoding, size: size, plays: nil, hasAlpha: false)
    let steps = SheetStep.all(
      members.map(\.durations),
      limit: min(max(Self.pixelLimit / (size.width * size.height), 10), 250)
    )
    for step in steps {
      for (index, frame) in step.frames {
        // A frame that is damaged leaves the one before.
        guard let image = try? await members[index].frames.frame(at: frame) else {
          continue
        }
        for cell in members[index].cells { try sheet.draw(image, in: cell) }
      }
      try Task.checkCancellation()
      try encoder.add(sheet.picture(), duration: step.milliseconds)
    }
    return try encoder.finish()
  }
}

/// What changes on a sheet at one moment, and how long it is shown.
struct SheetStep: Equatable {
  /// The longest loop of a sheet, in milliseconds.
  static let longestLoop = 10_000
  /// The shortest time between two changes that programs show.
  static let shortest = 20

  /// The animations that change, by their number, and their frames.
  var frames: [Int: Int]
  var milliseconds: Int

  /// The steps of one loop: that of the animation which takes longest, the others repeat in it.
  ///
  /// Where there were more than `limit` steps, changes are moved together.
  static func all(_ durations: [[Int]], limit: Int) -> [SheetStep] {
    let loop = min(durations.map { $0.reduce(0, +) }.max() ?? 0, longestLoop)
    let grid = max(shortest, (loop + limit - 1) / limit)
    var changes: [Int: [Int: Int]] = [:]
    for (index, durations) in durations.enumerated() where !durations.isEmpty {
      var (time, frame) = (0, 0)
      while time < loop {
        changes[time / grid * grid, default: [:]][index] = frame
        time += max(1, durations[frame])
        frame = (frame + 1) % durations.count
      }
    }
    let times = changes.keys.sorted()
    return times.indices.map { index in
      let end = index + 1 < times.count ? times[index + 1] : max(loop, times[index] + shortest)
      return SheetStep(
        frames: changes[times[index]] ?? [:],
        milliseconds: end - times[index]
      )
    }
  }
}
