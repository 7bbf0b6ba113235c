/// What happens once the window is there.
@MainActor
final class JobRunner {
  private let gallery: Gallery
  private let arguments: Arguments
  private let output: Output
  private(set) var exitCode: Int32 = 0

  init(_ gallery: Gallery, _ arguments: Arguments, _ output: Output) {
    (self.gallery, self.arguments, self.output) = (gallery, arguments, output)
  }

  /// Shows the window, and begins.
  func start() {
    if let name = arguments.opened, !gallery.open(named: name, factor: arguments.factor) {
      output.complain("there is no picture “\(name)”")
      if case .screenshot = arguments.job { return finish(false) }
    }
    if let seconds = arguments.slideSeconds {
      gallery.slideShow.seconds = seconds
      gallery.toggleSlideShow()
    }
    switch arguments.job {
    case .show, .icon: gallery.present()
    case .screenshot(let path):
      gallery.present()
      Task {
        finish(await Screenshot(gallery, output).take(path, scrolling: arguments.frames ?? 0))
      }
    case .bench:
      gallery.present(showsNumbers: false)
      Task { finish(await Bench(gallery, arguments, output).run()) }
    case .first:
      let first = FirstFrames(gallery, output)
      gallery.present(showsNumbers: false)
      Task { finish(await first.run()) }
    }
  }

  private func finish(_ isDone: Bool) {
    exitCode = isDone ? 0 : 1
    gallery.end()
  }
}
