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
    guard let picture = await texture() else {
      output.complain("the window was not drawn within half a minute")
      return false
    }
    if picture.save(to: path) { return true }
    output.complain("\(path): the window cannot be written there")
    return false
  }

  /// The window as its next frame shows it, within half a minute.
  private func texture() async -> Texture? {
    let end = ContinuousClock.now + .seconds(30)
    var texture: Texture?
    drawNext { texture = $0 }
    defer { gallery.afterFrame = nil }
    while texture == nil, ContinuousClock.now < end {
      try? await Task.sleep(for: .milliseconds(5))
    }
    return texture
  }

  /// Calls a closure with the window as soon as a frame is drawn.
  ///
  /// Between frames there may be nothing: what is to be drawn again has no pixels until then.
  func drawNext(_ receive: @escaping @MainActor (Texture) -> Void) {
    gallery.afterFrame = { [gallery] _ in
      guard let texture = gallery.window.texture() else {
        gallery.window.frames?.requestFrame()
        return
      }
      gallery.afterFrame = nil
      receive(texture)
    }
    gallery.window.frames?.requestFrame()
  }
}
