import CFuzz
import Glibc

/// `ikran-fuzz TARGET [libFuzzer's arguments]`, `ikran-fuzz --list` or `ikran-fuzz --seeds TARGET
/// FOLDER`.
@main
enum Main {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    switch (words.first, words.count) {
    case ("--list", 1):
      for target in Target.allCases {
        print(
          target.rawValue,
          target.maximumLength,
          target.fileTypes,
          target.summary,
          separator: "\t"
        )
      }
    case ("--seeds", 3):
      guard let target = Target(rawValue: words[2]) else { fail("no target “\(words[2])”") }
      for (number, seed) in target.seeds.enumerated() {
        write(seed, to: "\(words[3])/seed-\(number)")
      }
    default:
      guard let name = words.first, let target = Target(rawValue: name) else {
        fail("the first argument is a target, --list or --seeds")
      }
      // The name of the target is no argument of libFuzzer's.
      var count = CommandLine.argc - 1
      var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? =
        CommandLine.unsafeArgv + 1
      exit(target.start(&count, &arguments))
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { fail("cannot write \(path)") }
    _ = fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  private static func fail(_ reason: String) -> Never {
    complain("ikran-fuzz: \(reason)")
    exit(2)
  }
}

/// Ends the process with a message: libFuzzer then stores the input.
func report(_ finding: @autoclosure () -> String, unless isRight: Bool = false) {
  if isRight { return }
  complain("finding: \(finding())")
  abort()
}

private func complain(_ line: String) {
  var line = line + "\n"
  // If standard error is closed, the exit code says enough.
  _ = line.withUTF8 { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
