import IkranSystem
import IkranTransport

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let longDays = [
    "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
  ]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The date of so many seconds since 1970.
  package static func text(_ seconds: Int) -> String {
    let clamped = min(max(seconds, 0), 253_402_300_799)  // the last second of the year 9999
    let (day, rest) = clamped.quotientAndRemainder(dividingBy: 86_400)
    let date = civil(day)
    let time = "\(pair(rest / 3600)):\(pair(rest / 60 % 60)):\(pair(rest % 60))"
    let year = String(date.year)
    let padded = String(repeating: "0", count: 4 - year.count) + year
    return "\(days[day % 7]), \(pair(date.day)) \(months[date.month - 1]) \(padded) \(time) GMT"
  }

  /// Seconds since 1970 at this moment.
  package static func now() -> Int { Int(WallClock.microseconds() / 1_000_000) }

  /// Seconds since 1970, or nil when the text is not exactly a date in one of HTTP's three forms.
  ///
  /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
  /// `Sun Nov  6 08:49:37 1994`; names may be in any case. Two digits of a year mean one that is at
  /// most 50 years after `now`, which is in seconds since 1970.
  package static func seconds(_ text: String, now: Int = HTTPDate.now()) -> Int? {
    let text = DateText(text)
    return imfFixdateSeconds(text) ?? rfc850Seconds(text, now: now) ?? asctimeSeconds(text)
  }

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static func imfFixdateSeconds(_ text: DateText) -> Int? {
    var text = text
    guard text.skipName(of: days), text.skip(", "), let day = text.number(2), text.skip(" "),
      let month = text.index(of: months), text.skip(" "), let year = text.number(4),
      text.skip(" "), let time = text.timeOfDay(), text.skip(" GMT"), text.isAtEnd
    else { return nil }
    return seconds(year: year, month: month + 1, day: day, timeOfDay: time)
  }

  /// Reads `Sunday, 06-Nov-94 08:49:37 GMT`.
  private static func rfc850Seconds(_ text: DateText, now: Int) -> Int? {
    var text = text
    guard text.skipName(of: longDays), text.skip(", "), let day = text.number(2), text.skip("-"),
      let month = text.index(of: months), text.skip("-"), let digits = text.number(2),
      text.skip(" "), let time = text.timeOfDay(), text.skip(" GMT"), text.isAtEnd
    else { return nil }
    let thisYear = civil(now / 86_400).year
    let year = thisYear / 100 * 100 + digits
    return seconds(
      year: year > thisYear + 50 ? year - 100 : year,
      month: month + 1,
      day: day,
      timeOfDay: time
    )
  }

  /// Reads `Sun Nov  6 08:49:37 1994`.
  private static func asctimeSeconds(_ text: DateText) -> Int? {
    var text = text
    guard text.skipName(of: days), text.skip(" "), let month = text.index(of: months),
      text.skip(" "), let day = text.skip(" ") ? text.number(1) : text.number(2), text.skip(" "),
      let time = text.timeOfDay(), text.skip(" "), let year = text.number(4), text.isAtEnd
    else { return nil }
    return seconds(year: year, month: month + 1, day: day, timeOfDay: time)
  }

  /// Seconds since 1970; nil for a day that the month does not have.
  private static func seconds(year: Int, month: Int, day: Int, timeOfDay time: Int) -> Int? {
    let first = dayNumber(year: year, month: month, day: 1)
    let next = dayNumber(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
    guard day >= 1, day <= next - first else { return nil }
    return (first + day - 1) * 86_400 + time
  }

  private static func pair(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// The day number since 1970 of a Gregorian date, with years that start in March so that the
  /// leap day is the last.
  private static func dayNumber(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let ofEra = year - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }

  /// The Gregorian date of a day number since 1970.
  private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let (era, ofEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * ofYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, ofYear - (153 * march + 2) / 5 + 1)
  }
}

/// A date that is read from its first character to its last; names in any case.
private struct DateText {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = text.utf8.map(lowercased) }

  var isAtEnd: Bool { position == bytes.count }

  /// Skips `text`, in any case; false, and nothing is skipped, when something else comes next.
  mutating func skip(_ text: String) -> Bool {
    let next = bytes[position...].prefix(text.utf8.count)
    guard next.elementsEqual(text.utf8, by: { $0 == lowercased($1) }) else { return false }
    position = next.endIndex
    return true
  }

  /// Skips the name that comes next and returns its index; nil when it is none of `names`.
  mutating func index(of names: [String]) -> Int? { names.firstIndex { skip($0) } }

  mutating func skipName(of names: [String]) -> Bool { index(of: names) != nil }

  /// A number of exactly so many digits.
  mutating func number(_ digits: Int) -> Int? {
    let next = bytes[position...].prefix(digits)
    guard next.count == digits, next.allSatisfy({ (48...57).contains($0) }) else { return nil }
    position = next.endIndex
    return next.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  /// Seconds since midnight, which may end in a leap second.
  mutating func timeOfDay() -> Int? {
    guard let hour = number(2), skip(":"), let minute = number(2), skip(":"),
      let second = number(2), hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour * 3600 + minute * 60 + second
  }
}
