#if canImport(Glibc)
import Glibc
import IkranCodecs
import IkranSystem
import Synchronization

/// Where the program is that decodes.
enum DecoderProgram {
  /// What tells a program that it was started as a decoder.
  static let variable = "IKRAN_DECODER_PROCESS"

  /// Whether this program can be started as a decoder.
  static let includesThis = Atomic(false)

  /// Its path: what `IKRAN_DECODER` says, next to this program, where it is installed, or this
  /// program.
  static let path: Result<String, IsolationFailure> = find()

  private static func find() -> Result<String, IsolationFailure> {
    if let named = Files.variable("IKRAN_DECODER"), !named.isEmpty {
      return isProgram(named) ? .success(named) : .failure(.notFound([named]))
    }
    var places: [String] = []
    let program = realpath("/proc/self/exe", nil)
    defer { free(program) }
    if let program {
      let folder = Files.parent(of: String(path: program))
      places += ["\(folder)/ikran-decoder", "\(folder)/../libexec/ikran-decoder"]
    }
    // Where `Scripts/install` puts it, then where packages do.
    let home = Files.variable("HOME").map { $0 + "/.local" }
    places += [home, "/usr/local", "/usr"].compactMap { $0.map { "\($0)/libexec/ikran-decoder" } }
    for place in places where isProgram(place) { return .success(place) }
    if let program, includesThis.load(ordering: .acquiring) {
      return .success(String(path: program))
    }
    return .failure(.notFound(places))
  }

  private static func isProgram(_ path: String) -> Bool {
    path.withPath { access($0, X_OK) } == 0
  }
}

extension Isolation {
  /// Makes this program its own decoder where `ikran-decoder` is not installed: the first thing
  /// that `main` does.
  ///
  /// In a process that was started as a decoder it never returns.
  public static func startDecodersFromThisProgram() {
    if getenv(DecoderProgram.variable) != nil { DecoderWorker.run() }
    DecoderProgram.includesThis.store(true, ordering: .releasing)
  }
}
#endif
