/// Writes a picture of the window.
@MainActor
struct Screenshot {
  private let gallery: Gallery
  private let output: Output

  init(_ gallery: Gallery, _ output: Output) { (self.gallery, self.output) = (gallery, output) }

  /// Waits for all pictures that are to be seen, half a minute at most, and writes a PNG.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - frames: How many frames are scrolled first; it ends where it began.
  /// - Returns: Whether it was written.
  func take(_ path: String, scrolling frames: Int) async -> Bool {
    try? await Task.sleep(for: .milliseconds(200))
    var isComplete = await gallery.settle(within: .seconds(30))
    if frames > 0 {
      _ = await Scroll.run(gallery, frames: frames, step: 12)
      gallery.grid.offset = 0
      isComplete = await gallery.settle(within: .seconds(30))
    }
    if !isComplete { output.complain("some pictures have not arrived within half a minute") }
    gallery.updateNumbers()
    // Until they have faded in.
    try? await Task.sleep(for: .milliseconds(400))
    if gallery.window.save(to: path) { return true }
    output.complain("\(path): the window cannot be written there")
    return false
  }
}
