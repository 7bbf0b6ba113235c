import Glibc
import IkranCodecs
import IkranPixels
import IkranSystem
import TestBasics
import Testing

@testable import IkranIsolation

/// Decoders that crash, hang, are killed, or are none.
extension OneAfterTheOther {
  @Suite struct BrokenDecoderTests {
    private let decoders = Decoders()
    private let picture = Decoders.picture

    private func decode(
      _ decoders: Decoders,
      _ cancellation: Cancellation? = nil
    ) -> Result<Bitmap, DecodeError> {
      let workspace = Workspace()
      workspace.cancellation = cancellation
      return Result { () throws(DecodeError) in
        try decoders.codecs.decode(picture.span, workspace: workspace).bitmap
      }
    }

    private func decodeAnother() throws {
      let file = Decoders.png(3, 3)
      _ = try decoders.codecs.decode(file.span)
    }

    private func failure(_ result: Result<Bitmap, DecodeError>) -> IsolationFailure? {
      if case .failure(.isolated(_, let failure)) = result { failure } else { nil }
    }

    @Test func aDecoderThatWasKilledWhileItHadNoWorkIsReplaced() throws {
      let process = try decoders.process()
      kill(process, SIGKILL)
      let result = decode(decoders)
      // The kernel may take a moment to end it: then the file is blamed.
      #expect((try? result.get()) != nil || failure(result) != nil)
      #expect((try? decode(decoders).get()) != nil)
      #expect(decoders.pool.idleProcesses != [process])
    }

    @Test func aCrashCostsOneErrorAndNothingElse() async throws {
      let process = try decoders.process()
      OwnProcesses.stop(process)
      async let result = onThread { decode(decoders) }
      try await until { decoders.pool.workingCount > 0 }
      kill(process, SIGKILL)
      #expect(failure(await result) == .crashed(reason: "signal 9"))
      #expect((try? decode(decoders).get()) != nil)
    }

    @Test func aDecoderWithoutWorkEndsAfterAWhile() async throws {
      let decoders = Decoders(idleNanoseconds: 1)
      for _ in 0..<2 {
        // The second one needs a thread that ends it again.
        #expect((try? decode(decoders).get()) != nil)
        try await until { decoders.pool.idleCount == 0 }
      }
    }

    @Test func aDecoderThatHangsIsEnded() async throws {
      let decoders = Decoders(seconds: 1)
      let process = try decoders.process()
      OwnProcesses.stop(process)
      let result = await onThread { decode(decoders) }
      #expect(failure(result) == .tookTooLong(seconds: 1))
      #expect(!ProcessTable.isRunning(process))
      #expect((try? decode(decoders).get()) != nil)
    }

    @Test func workThatIsCancelledEndsWithin50Milliseconds() async throws {
      let decoders = Decoders(seconds: 5)
      var fastest = Duration.seconds(60)
      // A machine that does other things may need several tries.
      for _ in 0..<20 where fastest > .milliseconds(50) {
        let process = try decoders.process()
        OwnProcesses.stop(process)
        let cancellation = Cancellation()
        async let result = onThread { decode(decoders, cancellation) }
        _ = await cancellation.isWaitedFor.wait()
        let start = ContinuousClock.now
        cancellation.cancel()
        try #require(failure(await result) == .cancelled)
        let time = ContinuousClock.now - start
        #expect(time < .seconds(2))
        fastest = min(fastest, time)
        #expect(!ProcessTable.isRunning(process))
      }
      #expect(fastest <= .milliseconds(50))
      #expect((try? decode(decoders).get()) != nil)
    }

    @Test func whatIsCancelledLateChangesNothing() async throws {
      let process = try decoders.process()
      let cancellation = Cancellation()
      #expect((try? decode(decoders, cancellation).get()) != nil)
      cancellation.cancel()
      #expect((try? decode(decoders).get()) != nil)
      #expect(decoders.pool.idleProcesses == [process])
    }

    @Test func aFileThatHasEndedTenDecodersGetsNoFurtherOne() async throws {
      for _ in 0..<DecoderPool.mostCrashes {
        let process = try decoders.process()
        OwnProcesses.stop(process)
        async let result = onThread { decode(decoders) }
        try await until { decoders.pool.workingCount > 0 }
        kill(process, SIGKILL)
        #expect(failure(await result) == .crashed(reason: "signal 9"))
        // Another file starts the next one.
        try decodeAnother()
      }
      #expect(failure(decode(decoders)) == .refused(crashes: DecoderPool.mostCrashes))
      try decodeAnother()
    }

    @Test func aCrashOfOneAnimationIsNotCountedAgainstOthers() async throws {
      let bytes = try Fixtures.bytes("animation-3-frames.gif")
      let frames = try #require(try decoders.codecs.frames(of: bytes))
      for _ in 0..<DecoderPool.mostCrashes {
        let composer = frames.makeComposer()
        _ = try composer.compose(0)
        let process = try decoders.process()
        OwnProcesses.stop(process)
        let result = Guarded<DecodeError?>(nil)
        async let done: Void = onThread { [composer = Unchecked(composer)] in
          do { _ = try composer.value.compose(1) } catch {
            result.withLock { $0 = error as? DecodeError }
          }
        }
        try await until { decoders.pool.workingCount > 0 }
        kill(process, SIGKILL)
        await done
        #expect(result.withLock { $0 } == .isolated(.gif, .crashed(reason: "signal 9")))
      }
      let refused = #expect(throws: DecodeError.self) { try frames.makeComposer().compose(0) }
      #expect(refused == .isolated(.gif, .refused(crashes: DecoderPool.mostCrashes)))
      let other = try Fixtures.bytes("animation-3-frames.png")
      let composer = try #require(try decoders.codecs.frames(of: other)).makeComposer()
      _ = try composer.compose(0)
      _ = try composer.compose(1)
    }

    @Test func aProgramThatIsNotThereIsNamed() throws {
      let pool = DecoderPool(path: "/nowhere/ikran-decoder")
      let codecs = CodecList.standard.isolated(.all, in: pool)
      let error = #expect(throws: DecodeError.self) { try codecs.decode(picture.span) }
      #expect(
        error?.description
          == "the PNG file cannot be decoded: its decoder does not start: "
          + "/nowhere/ikran-decoder: No such file or directory"
      )
    }

    @Test(arguments: ["/bin/true", "/bin/cat"])
    func aProgramThatIsNoDecoderIsAnError(program: String) throws {
      let codecs = CodecList.standard.isolated(.all, in: DecoderPool(path: program))
      let error = #expect(throws: DecodeError.self) { try codecs.decode(picture.span) }
      #expect(error?.description.contains("exit code 0") == true)
    }

    @Test func decodersWithoutWorkAreEnded() throws {
      let process = try decoders.process()
      decoders.pool.endIdle(after: 60_000_000_000)
      #expect(decoders.pool.idleProcesses == [process])
      decoders.pool.endIdle()
      #expect(!ProcessTable.isRunning(process))
    }

    @Test func aFileOnItsWayStartsOneDecoder() throws {
      let codecs = CodecList.standard.isolated(.all, in: decoders.pool)
      for type in [nil, "image/psd", "application/octet-stream", "text/html"] {
        codecs.expectFile(of: type)
      }
      #expect(decoders.pool.startedCount == 0)
      for _ in 0..<3 { codecs.expectFile(of: "image/png") }
      // It waits for that one, wherever its start is.
      _ = try codecs.decode(picture.span)
      #expect(decoders.pool.startedCount == 1)
      #expect(decoders.pool.idleCount == 1)
    }

    @Test func noneIsStartedAheadWhileOneWorks() async throws {
      let process = try decoders.process()
      OwnProcesses.stop(process)
      async let result = onThread { decode(decoders) }
      try await until { decoders.pool.workingCount > 0 }
      decoders.codecs.expectFile(of: "image/png")
      #expect(decoders.pool.startedCount == 1)
      kill(process, SIGKILL)
      #expect(failure(await result) == .crashed(reason: "signal 9"))
      #expect(decoders.pool.startedCount == 1)
    }

    @Test func aCodecOfTheProgramStartsNone() {
      let codecs = CodecList([PNGDecoder()] + decoders.codecs.codecs)
      codecs.expectFile(of: "image/png")
      #expect(decoders.pool.startedCount == 0)
    }

    @Test func aFileThatIsDecodedHereStartsNone() {
      CodecList.standard.isolated(.risky, in: decoders.pool).expectFile(of: "image/png")
      #expect(decoders.pool.startedCount == 0)
    }

    @Test func whereNoneStartsTheDecodeSaysWhy() throws {
      let codecs = CodecList.standard.isolated(.all, in: DecoderPool(path: "/nowhere/decoder"))
      codecs.expectFile(of: "image/png")
      let error = #expect(throws: DecodeError.self) { try codecs.decode(picture.span) }
      #expect(error?.description.contains("No such file or directory") == true)
    }

    @Test func aDecoderIsSealedOff() throws {
      let process = try decoders.process()
      let status = String(decoding: try Files.read("/proc/\(process)/status"), as: UTF8.self)
      #expect(status.contains("NoNewPrivs:\t1"))
      #expect(status.contains("Seccomp:\t2"))
    }

    @Test func aDecoderHasALimitOfProcessorTimeAndOfMemory() throws {
      let process = try decoders.process()
      let seconds = try #require(try limit("Max cpu time", of: process))
      // A minute for a request and two seconds, on top of those that were used before it.
      #expect((62...122).contains(seconds))
      let bytes = try limit("Max address space", of: process)
      if Sanitizer.isOn {
        let own = try limit("Max address space", of: getpid())
        #expect(bytes == own)
      } else {
        #expect(bytes == 4 << 30)
      }
    }

    /// A soft limit of a process, from the table of `limits` (proc(5)); nil for none.
    private func limit(_ name: String, of process: pid_t) throws -> Int? {
      let text = String(decoding: try Files.read("/proc/\(process)/limits"), as: UTF8.self)
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name) })
      let soft = try #require(line.dropFirst(name.count).split(separator: " ").first)
      return Int(soft)
    }
  }
}

/// What one thread after the other uses.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// Does work that blocks on a thread of its own.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { done in
    BackgroundThread.start(name: "test") { done.resume(returning: work()) }
  }
}
