import Glibc
import Ikran
import IkranStores
import IkranTesting
import Support
import Testing

/// The programs of the article "Pictures on GTK 4 widgets", each on a screen in memory.
@Suite(
  .enabled(if: access("/usr/bin/Xvfb", X_OK) == 0, "xvfb is not installed"),
  .timeLimit(.minutes(2))
)
struct WindowProgramTests {
  /// The pictures that are shown, in colours that nothing else on a screen has.
  private static let colors = [
    Color(red: 251, green: 3, blue: 77), Color(red: 5, green: 199, blue: 131),
    Color(red: 17, green: 91, blue: 239),
  ]

  @Test(arguments: [("PictureWindow", 1), ("FaceList", 3), ("MemberRow", 3)])
  func itsPicturesAreOnTheScreen(name: String, count: Int) async throws {
    let program = try Program()
    var urls: [String] = []
    for (number, color) in Self.colors.prefix(count).enumerated() {
      let picture = try Bitmap(color, size: PixelSize(width: 64, height: 64))
      try program.write(try picture.encoded(as: .png), to: "\(number).png")
      urls.append("file://" + program.path("\(number).png"))
    }
    // It runs until something is written into the pipe.
    let script = """
      mkfifo end
      exec 3< <(exec Xvfb -displayfd 1 -screen 0 640x480x24 -fbdir "$PWD" -nolisten tcp 2>/dev/null)
      screen=$!
      read -r number <&3
      export DISPLAY=:$number GDK_BACKEND=x11 GSK_RENDERER=cairo GDK_DEBUG=gl-disable GTK_A11Y=none
      export G_DEBUG=fatal-criticals
      stdbuf -oL \(try Program.executable(name)) \(urls.joined(separator: " ")) &
      program=$!
      read -r _ <end
      # Signals that a test blocks are blocked in its programs, but not this one.
      kill -KILL $program
      wait $program
      status=$?
      kill -KILL $screen
      exit $status
      """
    let running = try RunningProgram(["/bin/bash", "-c", script], in: program.folder, input: [])
    while try Self.counts(onScreenOf: program, count).contains(where: { $0 < 100 }) {
      try Task.checkCancellation()
      await Task.yield()
    }
    if name == "MemberRow" {
      #expect(try await running.firstLine() == "all 3 members are here")
    }
    let pipe = open(program.path("end"), O_WRONLY)
    _ = write(pipe, "\n", 1)
    close(pipe)
    let ending = try await running.ending()
    #expect(ending.code == 128 + SIGKILL, "\(ending.errors)")
  }

  /// How many pixels of the screen have each of the colours.
  private static func counts(onScreenOf program: Program, _ count: Int) throws -> [Int] {
    guard program.exists("Xvfb_screen0") else { return Array(repeating: 0, count: count) }
    let screen = try program.read("Xvfb_screen0")
    return colors.prefix(count).map { color in
      // Every fourth pixel, of four bytes, will do.
      stride(from: 0, to: screen.count - 3, by: 16).count { place in
        screen[place] == color.blue && screen[place + 1] == color.green
          && screen[place + 2] == color.red
      }
    }
  }
}
