import FoundationEssentials
import Ikran
import IkranCodecs
import IkranSystem
import IkranTransport

extension GetCommand {
  /// One image of many, and where it is written.
  private struct Job: Sendable {
    let input: Input
    let path: String
  }

  /// Whether there may be more than one image.
  var isBatch: Bool { !others.isEmpty || isNullSeparated || NamePattern(destination.path) != nil }

  /// The destination as one image has it.
  var sample: Destination {
    guard let pattern = NamePattern(destination.path) else { return destination }
    var sample = destination
    sample.path = pattern.path(of: .file("a"), index: 0, format: destination.format ?? .png)
    return sample
  }

  /// Throws for an unknown word in braces where many images need names, and for a mistyped one.
  func checkNames() throws(UsageError) {
    guard let part = NamePattern.unknownPart(of: destination.path) else { return }
    let parts = NamePattern.parts
    let meant = closest(to: part, among: parts)
    guard isBatch || meant != nil else { return }
    let hint = meant.map { "; did you mean \($0)?" } ?? ""
    throw UsageError(
      reason: "-o: “\(part)” is not one of \(parts.joined(separator: ", "))\(hint)",
      command: Self.name
    )
  }

  /// Writes all images, several at once; what fails is a line, and the others are written.
  ///
  /// - Returns: The exit code.
  func writeAll(_ session: Session, _ output: Output) async throws -> Int32 {
    let jobs = try await makeJobs()
    if jobs.isEmpty { output.complain("there is no picture to load") }
    var (done, failed) = (0, 0)
    var bar = ProgressBar(on: output)
    defer { bar.clear() }
    do {
      try await session.finishing(output) {
        try await write(jobs, from: session.pipeline, output) { job, result in
          done += 1
          switch result {
          case .success(let facts):
            if let facts { try output.report(facts, asJSON: true) }
          case .failure(let failure):
            failed += 1
            bar.clear()
            output.complain(failure.sentence)
            guard isJSON else { break }
            let url = JSON.string(try job.input.displayedLocation())
            try output.report(["url": url, "error": .string(failure.sentence)], asJSON: true)
          }
          bar.show(done: done, of: jobs.count, note: "\(done)/\(jobs.count)")
        }
      }
    } catch let error as CancellationError {
      bar.clear()
      output.complain("\(done - failed) of \(jobs.count) images are written")
      throw error
    }
    return failed == 0 ? 0 : 1
  }

  private func write(
    _ jobs: [Job],
    from pipeline: ImagePipeline,
    _ output: Output,
    finish: (Job, Result<JSON?, Failure>) throws -> Void
  ) async throws {
    // Each has a picture in memory; the pipeline's own queues are for what comes after.
    let window = max(6, 2 * ProcessInfo.processInfo.activeProcessorCount)
    try await withThrowingTaskGroup(of: (Job, Result<JSON?, Failure>).self) { group in
      var rest = jobs[...]
      for job in rest.prefix(window) { group.addTask { await write(job, from: pipeline, output) } }
      rest = rest.dropFirst(window)
      while let (job, result) = try await group.next() {
        try Task.checkCancellation()
        if let next = rest.popFirst() {
          group.addTask { await write(next, from: pipeline, output) }
        }
        try finish(job, result)
      }
    }
  }

  private func write(
    _ job: Job,
    from pipeline: ImagePipeline,
    _ output: Output
  ) async -> (Job, Result<JSON?, Failure>) {
    var one = self
    (one.input, one.destination.path, one.isOneOfMany) = (job.input, job.path, true)
    do {
      guard let facts = try await one.write(from: pipeline, output) else {
        return (job, .success(nil))
      }
      return (job, .success(facts.with("output", .string(job.path))))
    } catch {
      let sentence = Failure(error).sentence
      let isNamed = sentence.contains(job.input.name)
      return (job, .failure(Failure(isNamed ? sentence : "\(job.input.name): \(sentence)")))
    }
  }

  // MARK: - Inputs and names

  /// The images and their paths, which are all different and no input; their folders are made.
  private func makeJobs() async throws -> [Job] {
    guard let pattern = NamePattern(destination.path) else {
      throw UsageError(
        reason: "many images need names: -o 'small/{name}.{format}'",
        command: Self.name
      )
    }
    let inputs = try await readInputs()
    let jobs = inputs.enumerated().map { index, input in
      let format = destination.format ?? .png
      return Job(input: input, path: pattern.path(of: input, index: index, format: format))
    }
    try Self.check(jobs)
    for folder in Set(jobs.map { Self.folder(of: $0.path) }) {
      do throws(SystemError) { try OutputFile.makeFolder(folder) } catch { throw Failure(error) }
    }
    return jobs
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  private static func check(_ jobs: [Job]) throws {
    let sources = Set(jobs.compactMap { job in job.input.filePath.flatMap(OutputFile.resolved) })
    var inputs: [String: Input] = [:]
    for job in jobs {
      if let other = inputs.updateValue(job.input, forKey: job.path) {
        throw Failure(
          "“\(other.name)” and “\(job.input.name)” would both be \(job.path); use {index} in -o"
        )
      }
      if let old = OutputFile.resolved(job.path), sources.contains(old) {
        throw Failure("\(job.path) is one of the pictures; name another folder in -o")
      }
    }
  }

  private func readInputs() async throws -> [Input] {
    var inputs: [Input] = []
    for input in [input] + others.map({ Input($0) }) {
      switch input {
      case .standardInput: inputs += try await list()
      case .file(let path) where Files.isDirectory(path): inputs += try Self.pictures(in: path)
      case .file, .url, .pipe: inputs.append(input)
      }
    }
    return inputs
  }

  /// The names on standard input.
  private func list() async throws -> [Input] {
    guard isNullSeparated else { return try await ImageList.read("-") }
    let bytes = try await Input.standardInput.bytes(upTo: 64 << 20)
    return bytes.split(separator: 0).map { .named(String(path: $0)) }
  }

  /// The pictures of a folder, known by their names or their first bytes, in the order of their
  /// names.
  private static func pictures(in folder: String) throws -> [Input] {
    let names: [String]
    do throws(SystemError) { names = try Files.list(folder).sorted() } catch {
      throw Failure(error)
    }
    return names.compactMap { name in
      let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
      guard !name.hasPrefix("."), Files.isOrdinary(path),
        isPictureName(name) || isPicture(at: path)
      else { return nil }
      return .file(path)
    }
  }

  /// Whether a file begins as pictures do.
  private static func isPicture(at path: String) -> Bool {
    guard let start = try? Files.read(path, expecting: 4096),
      case .image = Sniffer.verdict(on: start.span)
    else { return false }
    return true
  }
}

extension Input {
  /// The path of a file of this machine.
  fileprivate var filePath: String? {
    switch self {
    case .file(let path): path
    case .url(let url): try? FileTransport.path(of: url)
    case .standardInput, .pipe: nil
    }
  }
}
