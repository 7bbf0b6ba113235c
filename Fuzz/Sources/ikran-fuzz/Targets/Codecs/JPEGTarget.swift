import CFuzz
import Glibc
@testable import IkranCodecs
@testable import IkranPixels

/// This package's decoders of baseline and progressive JPEG: at full size libjpeg's pixels, or
/// nothing; at other sizes the same whether or not anything is guessed, vectored or used before.
enum JPEGTarget {
  private nonisolated(unsafe) static let used = Workspace()  // libFuzzer has one thread
  private static let mostPixels = 60_000
  /// The largest sum of a block's coefficients at which both transforms are the same.
  private static let safeSum = 5000

  /// Small pictures with noise, baseline and progressive.
  static var seeds: [[UInt8]] {
    let sizes = [(17, 9), (64, 48), (130, 40), (40, 130), (200, 200)]
    return sizes.enumerated().flatMap { number, size in
      [40, 80, 97].flatMap { quality -> [[UInt8]] in
        let size = PixelSize(width: size.0, height: size.1)
        guard let picture = noisyPicture(size, UInt32(number * 100 + quality), isOpaque: true),
          let baseline = try? picture.encoded(as: .jpeg(quality: quality))
        else { return [] }
        return [baseline, progressive(baseline)]
      }
    }
  }

  private static func progressive(_ baseline: [UInt8]) -> [UInt8] {
    var count: UInt = 0
    guard let bytes = fuzz_progressive_jpeg(baseline, baseline.count, &count) else { return [] }
    defer { free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }

  static func run(_ bytes: Input) -> CInt {
    guard JPEGDecoder().recognizes(bytes.span), let header = try? JPEGHeader(bytes.span),
      header.info.size.isPositive, header.info.size.pixelCount ?? .max <= mostPixels,
      // A height that follows the first scan is put into the header first; libjpeg has no other.
      header.withHeight(bytes.span) == nil
    else { return 0 }
    var isSafe: Bool?
    for eighths in [8, 4, 2, 1] {
      check(bytes, header, reduction(header, eighths), "\(eighths)/8", &isSafe)
    }
    for side in [(96, 96), (9, 40), (48, 5)] {
      let target = Fitting.cover(PixelSize(width: side.0, height: side.1))
      let plan = RenderPlan(stored: header.info.size, orientation: .up, fitting: target)
      check(bytes, header, JPEGReduction(plan, header), "cell \(side)", &isSafe)
    }
    checkPrefix(bytes, header)
    return 0
  }

  private static func reduction(_ header: JPEGHeader, _ eighths: Int) -> JPEGReduction {
    let size = PixelSize(
      width: (header.info.size.width * eighths + 7) / 8,
      height: (header.info.size.height * eighths + 7) / 8
    )
    let plan = RenderPlan(stored: size, orientation: .up, fitting: .original)
    return JPEGReduction(eighths: eighths, decodedSize: size, plan: plan)
  }

  private static func check(
    _ bytes: Input,
    _ header: JPEGHeader,
    _ reduction: JPEGReduction,
    _ what: String,
    _ isSafe: inout Bool?
  ) {
    func ours(_ workspace: Workspace, isSpeculative: Bool) -> Bitmap? {
      BaselineDecoder.render(
        bytes.span,
        header,
        reduction,
        workspace: workspace,
        isSpeculative: isSpeculative
      ) ?? ProgressiveDecoder.render(bytes.span, header, reduction, workspace: workspace)
    }
    let first = ours(workspace(usesSIMD: true), isSpeculative: true)
    let second = ours(workspace(usesSIMD: false), isSpeculative: false)
    report("\(what): another picture without vectors and guesses", unless: areSame(first, second))
    report(
      "\(what): another picture with used memory",
      unless: areSame(first, ours(used, isSpeculative: true))
    )
    guard let first else { return }
    let theirs = try? JPEGHandle.render(
      bytes.span,
      header,
      reduction: reduction,
      workspace: Workspace()
    )
    guard let theirs else {
      // What a smaller picture does not need is not read: libjpeg may find damage there.
      return report("\(what): libjpeg refuses the file", unless: reduction.eighths < 8)
    }
    guard reduction.eighths == 8, !areSame(first, theirs) else { return }
    let safe =
      isSafe ?? (0...safeSum ~= CFuzz.fuzz_largest_jpeg_sum(bytes.baseAddress, bytes.count))
    isSafe = safe
    report("\(what): other pixels than libjpeg's", unless: !safe)
  }

  /// The bytes that are said to be enough are enough, with the marker after them.
  private static func checkPrefix(_ bytes: Input, _ header: JPEGHeader) {
    let target = Fitting.cover(PixelSize(width: 16, height: 16))
    guard let count = JPEGPrefix(bytes.span)?.sufficientByteCount(for: target) else { return }
    report("the sufficient byte count exceeds the file", unless: count + 2 <= bytes.count)
    let plan = RenderPlan(stored: header.info.size, orientation: .up, fitting: target)
    let reduction = JPEGReduction(plan, header)
    func picture(_ bytes: Span<UInt8>, isPrefix: Bool) -> Bitmap? {
      ProgressiveDecoder.render(
        bytes,
        header,
        reduction,
        workspace: Workspace(),
        isPrefix: isPrefix
      )
    }
    guard let whole = picture(bytes.span, isPrefix: false) else { return }
    let part = picture(bytes.span.extracting(first: count + 2), isPrefix: true)
    report("the prefix decodes to different pixels", unless: areSame(whole, part))
  }
}
