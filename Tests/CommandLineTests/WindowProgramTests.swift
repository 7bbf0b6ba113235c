import Glibc
import Ikran
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
    var patterns: [String] = []
    for (number, color) in Self.colors.prefix(count).enumerated() {
      let picture = try Bitmap(color, size: PixelSize(width: 64, height: 64))
      try program.write(try picture.encoded(as: .png), to: "\(number).png")
      urls.append("file://" + program.path("\(number).png"))
      let bytes = [color.blue, color.green, color.red]
      patterns.append(bytes.map { "\\x" + String(256 + Int($0), radix: 16).dropFirst() }.joined())
    }
    // It ends when the screen has a line of each colour; a test that hangs has a time limit.
    let script = """
      exec 3< <(exec Xvfb -displayfd 1 -screen 0 640x480x24 -fbdir "$PWD" -nolisten tcp 2>/dev/null)
      screen=$!
      read -r number <&3
      export DISPLAY=:$number GDK_BACKEND=x11 GSK_RENDERER=cairo GDK_DEBUG=gl-disable GTK_A11Y=none
      export G_DEBUG=fatal-criticals LC_ALL=C
      stdbuf -oL \(try Program.executable(name)) \(urls.joined(separator: " ")) >printed &
      program=$!
      for color in \(patterns.map { "'\($0)'" }.joined(separator: " ")); do
        until grep -qaP "($color.){24}" Xvfb_screen0; do
          kill -0 $program || exit 3
          sleep 0.2
        done
      done
      \(name == "MemberRow" ? "until grep -q 'all 3 members are here' printed; do sleep 0.2; done" : "")
      # Signals that a test blocks are blocked in its programs, but not this one.
      kill -KILL $program $screen
      """
    let ending = try await program.runShell(script)
    #expect(ending.code == 0, "\(ending.errors)")
  }
}
