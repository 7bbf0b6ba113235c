import Glibc
import IkranCodecs
import IkranSystem

/// When pictures were taken: each file is read once, and again when it has changed.
final class TakenDates: Sendable {
  /// EXIF blocks stand before the picture, in most files.
  private static let beginning = 128 << 10

  private let known = Guarded([String: FileFacts]())

  /// What is known of a file, with when it was taken; nil when there is no such file.
  ///
  /// It blocks: it reads the beginning of a file.
  func facts(_ path: String) -> FileFacts? {
    guard let found = FileFacts(path: path) else { return nil }
    let last = known.withLock { $0[path] }
    if let last, last.size == found.size, last.modified == found.modified { return last }
    var facts = found
    if Files.isOrdinary(path), let bytes = try? Files.read(path, expecting: Self.beginning),
      let camera = CameraLines.read(bytes), let date = camera.dateTime
    {
      facts.taken = Self.time(date, camera.timeOffset)
    }
    let read = facts
    known.withLock { $0[path] = read }
    return facts
  }

  /// The time since 1970 of a date as EXIF writes it: `2026:11:25 13:45:00`.
  ///
  /// - Parameters:
  ///   - date: It is local where there is no offset.
  ///   - offset: From UTC, such as `+01:00`.
  /// - Returns: Nil for what is no date.
  static func time(_ date: String, _ offset: String?) -> Duration? {
    let numbers = date.split { !($0.isASCII && $0.isNumber) }.compactMap { Int32($0) }
    guard numbers.count >= 6, (1...9_999).contains(numbers[0]), (1...12).contains(numbers[1]),
      (1...31).contains(numbers[2]), (0...23).contains(numbers[3]), (0...59).contains(numbers[4]),
      (0...60).contains(numbers[5])
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1_900, numbers[1] - 1, numbers[2])
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
    parts.tm_isdst = -1
    guard let seconds = offset.flatMap(Self.seconds) else { return .seconds(mktime(&parts)) }
    return .seconds(timegm(&parts) - seconds)
  }

  /// The seconds of an offset from UTC.
  private static func seconds(_ offset: String) -> Int? {
    let numbers = offset.split { !($0.isASCII && $0.isNumber) }.compactMap { Int($0) }
    guard let sign = offset.first(where: { $0 == "+" || $0 == "-" }), numbers.count == 2,
      numbers[0] < 24, numbers[1] < 60
    else { return nil }
    return (numbers[0] * 3_600 + numbers[1] * 60) * (sign == "-" ? -1 : 1)
  }
}
