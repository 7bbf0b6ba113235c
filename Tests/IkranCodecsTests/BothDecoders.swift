import Glibc
import IkranPixels

@testable import IkranCodecs

/// The same file through this package's decoder and through libjpeg, the reference.
enum BothDecoders {
  /// The pixels at `eighths`/8; nil when this package's decoder leaves the file to libjpeg.
  static func ours(
    _ bytes: [UInt8],
    eighths: Int,
    _ workspace: Workspace = Workspace(),
    isSpeculative: Bool = true
  ) throws(DecodeError) -> Bitmap? {
    let header = try JPEGHeader(bytes.span)
    return ours(bytes, header, reduction(header, eighths), workspace, isSpeculative: isSpeculative)
  }

  private static func ours(
    _ bytes: [UInt8],
    _ header: JPEGHeader,
    _ reduction: JPEGReduction,
    _ workspace: Workspace,
    isSpeculative: Bool
  ) -> Bitmap? {
    BaselineDecoder.render(
      bytes.span,
      header,
      reduction,
      workspace: workspace,
      isSpeculative: isSpeculative
    ) ?? ProgressiveDecoder.render(bytes.span, header, reduction, workspace: workspace)
  }

  static func libjpegs(_ bytes: [UInt8], eighths: Int) throws(DecodeError) -> Bitmap {
    let header = try JPEGHeader(bytes.span)
    return try JPEGHandle.render(
      bytes.span,
      header,
      reduction: reduction(header, eighths),
      workspace: Workspace()
    )
  }

  /// The pixels for a view of `size`.
  static func ours(_ bytes: [UInt8], covering size: PixelSize) throws(DecodeError) -> Bitmap? {
    let header = try JPEGHeader(bytes.span)
    return ours(bytes, header, reduction(header, size), Workspace(), isSpeculative: true)
  }

  static func libjpegs(_ bytes: [UInt8], covering size: PixelSize) throws(DecodeError) -> Bitmap {
    let header = try JPEGHeader(bytes.span)
    return try JPEGHandle.render(
      bytes.span,
      header,
      reduction: reduction(header, size),
      workspace: Workspace()
    )
  }

  /// Whether all pixels are the same.
  static func areSame(_ first: Bitmap, _ second: Bitmap) -> Bool {
    guard first.size == second.size else { return false }
    return first.withUnsafeBytes { mine in
      second.withUnsafeBytes { theirs in
        guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return false }
        return (0..<first.height).allSatisfy { y in
          memcmp(mine + y * first.bytesPerRow, theirs + y * second.bytesPerRow, first.width * 4)
            == 0
        }
      }
    }
  }

  /// The mean difference per channel.
  static func meanDistance(_ first: Bitmap, _ second: Bitmap) -> Double {
    var total = 0
    for y in 0..<first.height {
      first.withRow(y) { mine in
        second.withRow(y) { theirs in
          for index in 0..<first.width * 4 { total += abs(Int(mine[index]) - Int(theirs[index])) }
        }
      }
    }
    return Double(total) / Double(first.width * first.height * 3)
  }

  private static func reduction(_ header: JPEGHeader, _ eighths: Int) -> JPEGReduction {
    let size = PixelSize(
      width: (header.info.size.width * eighths + 7) / 8,
      height: (header.info.size.height * eighths + 7) / 8
    )
    let plan = RenderPlan(stored: size, orientation: .up, fitting: .original)
    return JPEGReduction(eighths: eighths, decodedSize: size, plan: plan)
  }

  private static func reduction(_ header: JPEGHeader, _ target: PixelSize) -> JPEGReduction {
    let plan = RenderPlan(stored: header.info.size, orientation: .up, fitting: .cover(target))
    return JPEGReduction(plan, header)
  }
}
