import Ikran

/// The program: the first thread waits for signals, a task runs the command and ends the process.
@main
enum Main {
  static func main() {
    Isolation.startDecodersFromThisProgram()
    Interruption.prepare()
    let terminal = TerminalMode()
    let words = CommandLine.words
    let job = Task { @concurrent in Interruption.exit(await run(words, Output(program: "ikran"))) }
    // SIGHUP has a service read its keys again.
    Interruption.wait(takingHangups: words.first == ServeCommand.syntax.name) {
      job.cancel()
    } orElse: {
      terminal?.restoreIfTaken()
    }
  }

  /// Runs the command line and returns the exit code.
  @concurrent
  static func run(_ words: [String], _ output: Output) async -> Int32 {
    do {
      return try await dispatch(words, output)
    } catch let error as UsageError {
      let topic = error.command.map { "\($0) " } ?? ""
      output.complain("\(error.reason); see ikran \(topic)--help")
      return 2
    } catch is Output.Closed {
      return 128 + 13  // As if SIGPIPE had ended it: the reader closed the pipe.
    } catch is CancellationError {
      return interrupted(output)
    } catch ImageError.cancelled {
      return interrupted(output)
    } catch let error as Failure {
      output.complain(error.sentence)
      return 1
    } catch {
      output.complain(Failure(error).sentence)
      return 1
    }
  }

  private static func interrupted(_ output: Output) -> Int32 {
    output.complain("interrupted")
    return Interruption.exitCode
  }

  private static func dispatch(_ words: [String], _ output: Output) async throws -> Int32 {
    guard let name = words.first else { throw UsageError(reason: "a command is missing") }
    switch name {
    case "--help", "-h", "help":
      guard name == "help", words.count > 1 else {
        try output.line(CommandList.help)
        return 0
      }
      try output.line(try CommandList.command(words[1]).help)
    case "--version":
      try output.line("ikran \(CommandList.version)")
    default:
      let type = try CommandList.command(name)
      guard let command = try type.parse(Array(words.dropFirst())) else {
        try output.line(type.help)
        return 0
      }
      try command.check(output)
      return try await command.run(output)
    }
    return 0
  }
}
