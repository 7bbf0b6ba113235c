import Support
import Testing

/// What the system sees of a process that has loaded many pictures, in a process of its own.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: !Sanitizer.isOn, "sanitizers allocate, and keep what is freed, in their own way")
)
struct ResidentMemoryTests {
  private struct Megabytes {
    let before, loaded, held, relieved: Int
  }

  private func load(_ count: Int, limit: Int) async throws -> Megabytes {
    let program = try Program()
    let words = [try Program.executable("PictureLoads"), "\(count)", "\(limit)"]
    let ending = try await RunningProgram(words, in: program.folder, input: []).ending()
    #expect(ending.code == 0, "\(ending.errors)")
    let numbers = ending.text.split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
    try #require(numbers.count == 4, "\(ending.text)")
    return Megabytes(
      before: numbers[0],
      loaded: numbers[1],
      held: numbers[2],
      relieved: numbers[3]
    )
  }

  @Test func manyPicturesStayCloseToTheLimitAndCriticalPressureGivesThemBack() async throws {
    let megabytes = try await load(120, limit: 32)
    #expect(megabytes.held <= 40)
    #expect(megabytes.loaded <= megabytes.before + 32 + 64, "\(megabytes)")
    #expect(megabytes.relieved <= megabytes.before + 20, "\(megabytes)")
  }
}
