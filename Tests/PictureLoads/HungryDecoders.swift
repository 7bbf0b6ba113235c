import Glibc
import IkranCodecs
import IkranIsolation
import IkranPixels
import IkranSystem

/// Has four threads decode files that want all memory, and pictures between them, and counts what is
/// left of it.
enum HungryDecoders {
  /// What a process has of the system.
  private struct Held: Equatable {
    let descriptors, mappings, children: Int

    init() throws {
      descriptors = try Files.list("/proc/self/fd").count
      let maps = String(decoding: try Files.read("/proc/self/maps"), as: UTF8.self)
      mappings = maps.split(separator: "\n").count { $0.contains("memfd:") }
      children = try Files.list("/proc/self/task").reduce(0) { sum, thread in
        // A thread may have ended.
        let text = (try? Files.read("/proc/self/task/\(thread)/children")) ?? []
        return sum + text.split(separator: UInt8(ascii: " ")).count
      }
    }
  }

  private static let threads = 4
  private static let rounds = 10
  private static let names = ["png-60000x60000-rgba-tiny-idat.png", "tiff-65535x65535.tif"]

  /// Whether each of them costs one error, and nothing is left.
  static func check(_ folder: String) async throws -> Bool {
    let files = try names.map { try Files.read("\(folder)/\($0)") }
    let picture = try Canvas(size: PixelSize(width: 40, height: 30), format: .bgrx)
      .finish().encoded(as: .png)
    let pool = DecoderPool(seconds: 60)
    let codecs = CodecList.standard.isolated(.all, in: pool)
    @Sendable func load(_ rounds: Int) async -> Int {
      defer { pool.endIdle() }
      return await withTaskGroup(of: Int.self) { group in
        for worker in 0..<threads {
          group.addTask {
            (0..<rounds).count { round in
              let file = files[(worker + round) % files.count]
              return isWithoutMemory(file, codecs) && (try? codecs.decode(picture.span)) != nil
            }
          }
        }
        return await group.reduce(0, +)
      }
    }
    // What Swift's threads and the pool open once is there after that.
    _ = await load(1)
    let before = try Held()
    let fine = await load(rounds)
    let after = try Held()
    print("hungry: \(fine) of \(threads * rounds) as they should be; \(before), then \(after)")
    return fine == threads * rounds && pool.workingCount == 0 && after == before
  }

  /// Whether a file ends in an error for its memory, and in no other; without limits the bound of the
  /// decoder's memory is all that is left.
  private static func isWithoutMemory(_ file: [UInt8], _ codecs: CodecList) -> Bool {
    var rules = DecodeRules()
    rules.limits.maximumPixels = 1 << 40
    rules.limits.maximumDeclaredPixels = 1 << 40
    rules.limits.maximumDimension = 1 << 20
    do throws(DecodeError) {
      _ = try codecs.decode(file.span, rules: rules)
      return false
    } catch {
      if case .bitmap(.outOfMemory) = error { return true }
      return false
    }
  }
}
