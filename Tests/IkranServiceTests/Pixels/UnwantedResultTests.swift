import Ikran
import IkranCodecs
import IkranPixels
import IkranSystem
import Testing

@testable import IkranService

/// Pictures that are no longer waited for while they are made.
@Suite("Results that are no longer wanted")
struct UnwantedResultTests {
  /// Is wanted for so many questions.
  private final class Patience: DecodeCancellation {
    private let questions: Guarded<Int>

    init(_ count: Int) { questions = Guarded(count) }

    /// How many questions are left.
    var left: Int { questions.withLock { $0 } }

    var isCancelled: Bool {
      questions.withLock { left in
        left -= 1
        return left < 0
      }
    }

    func onCancel(_ action: @escaping @Sendable () -> Void) -> Bool { true }

    func ignore() {}
  }

  private func make(_ file: [UInt8], _ options: String, _ patience: Patience) throws {
    let workspace = Workspace()
    workspace.cancellation = patience
    let maker = PictureMaker(
      settings: try ServiceSettings(environment: ["IKRAN_MAX_ANIMATION_FRAMES": "9"]),
      wanted: try request("/_/\(options)plain/a"),
      wishes: ClientWishes(),
      file: SourceFile(bytes: file, source: .data, content: nil, freshUntil: 0, headers: []),
      watermark: nil,
      codecs: CodecList.standard,
      workspace: workspace
    )
    _ = try maker.picture()
  }

  private func checkSteps(_ file: [UInt8], _ options: String, atLeast steps: Int) throws {
    let patience = Patience(1000)
    try make(file, options, patience)
    let asked = 1000 - patience.left
    #expect(asked >= steps)
    for count in 0..<asked {
      #expect(throws: ServiceError.clientLeft, "\(count)") {
        try make(file, options, Patience(count))
      }
    }
  }

  @Test func aStillPictureEndsBetweenItsSteps() throws {
    let file = try Samples.quarters().encoded(as: .png)
    try checkSteps(file, "w:30/blur:1/", atLeast: 3)
    try checkSteps(file, "mb:1/f:jpg/", atLeast: 5)
    try checkSteps(file, "aq:dssim:0:1:100:0/f:jpg/", atLeast: 5)
  }

  @Test func anAnimationEndsBetweenItsFrames() throws {
    let frame = try Samples.quarters()
    let writer = try AnimationEncoder(.gif, size: frame.size, plays: 1, hasAlpha: false)
    for _ in 0..<4 { try writer.add(frame, duration: 100) }
    try checkSteps(try writer.finish(), "w:10/", atLeast: 4)
  }
}
