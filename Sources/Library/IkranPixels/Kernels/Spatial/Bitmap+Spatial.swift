import CIkranKernels

extension Bitmap {
  /// A bitmap of the same size and format, which `body` fills from this one.
  ///
  /// - Parameters:
  ///   - workspace: Where working memory comes from.
  ///   - memory: How many bytes of working memory `body` gets.
  ///   - body: Runs a loop over the whole picture.
  /// - Returns: The filled bitmap.
  /// - Throws: ``BitmapError`` when memory runs out.
  func filtered(
    _ workspace: Workspace,
    memory: Int = 0,
    _ body: (ikran_pass, UnsafeMutableRawPointer, _ simd: Bool) -> Void
  ) throws(BitmapError) -> Bitmap {
    precondition(format.bytesPerPixel == 4, "A filter takes four bytes a pixel.")
    let scratch = try workspace.takeScratch(byteCount: max(memory, 64))
    var canvas = try Canvas(size: size, format: format, zeroed: false)
    canvas.profile = profile
    let stride = canvas.bytesPerRow
    withUnsafeBytes { source in
      canvas.withUnsafeMutableBytes { target in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        let picture = ikran_pass(
          in: from.assumingMemoryBound(to: UInt8.self),
          inStride: bytesPerRow,
          out: to.assumingMemoryBound(to: UInt8.self),
          outStride: stride,
          width: width,
          height: height
        )
        body(picture, scratch.start, workspace.usesSIMD)
      }
    }
    workspace.give(back: scratch)
    return canvas.finish()
  }
}

extension Array {
  /// Calls `body` with the elements' memory, unless there are none.
  func withPointer(_ body: (UnsafePointer<Element>) -> Void) {
    withUnsafeBufferPointer { buffer in
      if let start = buffer.baseAddress { body(start) }
    }
  }
}
