import IkranIsolation
import IkranServer
import IkranSystem

/// The program: reads its arguments, opens the window and runs GTK's main loop.
@main
@MainActor
enum Main {
  static func main() {
    Isolation.startDecodersFromThisProgram()
    let output = Output(program: "ikran-gallery")
    Application.exit(run(CommandLine.words, output))
  }

  /// Runs the command line and returns the exit code.
  private static func run(_ words: [String], _ output: Output) -> Int32 {
    do {
      guard let arguments = try Arguments(parsing: words) else {
        try? output.line(Arguments.help)
        return 0
      }
      if case .icon(let path) = arguments.job {
        let path = try Files.absolute(path)
        try Files.writeAtomically(try AppIcon.png(), to: path, durable: false, mode: 0o666)
        return 0
      }
      return try show(arguments, output)
    } catch let error as UsageError {
      output.complain("\(error.reason); see ikran-gallery --help")
      return 2
    } catch {
      output.complain(Failure(error).sentence)
      return 1
    }
  }

  private static func show(_ arguments: Arguments, _ output: Output) throws -> Int32 {
    // The caches would silently do without a folder that cannot be written.
    if let folder = arguments.cache {
      let path = try Files.absolute(folder)
      try Files.createDirectories(path)
      guard Files.isWritable(path) else {
        output.complain("\(folder) cannot be written; choose another folder for --cache")
        return 1
      }
    }
    let source = try GallerySource(
      arguments.images,
      stills: arguments.job == .bench || arguments.job == .first
    )
    guard
      let application = Application(
        name: "ikran-gallery",
        title: "Ikran Gallery",
        usesCairo: arguments.job != .show
      )
    else {
      output.complain("there is no display; set DISPLAY or WAYLAND_DISPLAY, or use xvfb-run")
      return 1
    }
    switch arguments.theme {
    case .system: break
    case .light: application.isDark = false
    case .dark: application.isDark = true
    }
    let origin = source.origin?.baseURL
    let pipelines = Pipelines(folder: arguments.cache, origin: origin, memory: arguments.memory)
    let (settings, size) = (arguments.settings, arguments.window)
    let gallery = Gallery(application, source, settings, pipelines, size: size)
    let job = JobRunner(gallery, arguments, output)
    job.start()
    return withExtendedLifetime(source) { () -> Int32 in
      let wasInterrupted = application.run { gallery.end() }
      // Exits while the origin still runs: stopping it would wait for the portraits it is drawing.
      Application.exit(wasInterrupted ? 130 : job.exitCode)
    }
  }
}
