import IkranStores

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
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

  /// Seconds since 1970, or nil when the text is not a date in one of HTTP's three forms.
  ///
  /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
  /// `Sun Nov  6 08:49:37 1994`. Two digits of a year mean 1970 to 2069.
  package static func seconds(_ text: String) -> Int? {
    if let seconds = usualSeconds(text.utf8.span) { return seconds }
    var words = text.split(whereSeparator: { $0 == " " || $0 == "-" }).map(String.init)
    if words.count == 5 {
      words = [words[0], words[2], words[1], words[4], words[3], "GMT"]  // The form of asctime.
    }
    guard words.count == 6, words[5] == "GMT", let day = number(words[1]), (1...31).contains(day),
      let month = months.firstIndex(of: words[2]), let year = year(words[3])
    else { return nil }
    let clock = words[4].split(separator: ":").map { number(String($0)) ?? -1 }
    guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]),
      (0...60).contains(clock[2])
    else { return nil }
    let days = self.days(year: year, month: month + 1, day: day)
    return days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
  }

  /// Reads the form that nearly all write, which has everything at its place; nil for all others.
  private static func usualSeconds(_ text: Span<UInt8>) -> Int? {
    func number(_ first: Int, _ count: Int) -> Int? {
      var number = 0
      for index in first..<first + count {
        guard (48...57).contains(text[index]) else { return nil }
        number = number * 10 + Int(text[index] - 48)
      }
      return number
    }
    guard text.count == 29, text[3] == UInt8(ascii: ","),
      [4, 7, 11, 16, 25].allSatisfy({ text[$0] == UInt8(ascii: " ") }),
      text[19] == UInt8(ascii: ":"), text[22] == UInt8(ascii: ":"),
      (text[26], text[27], text[28]) == (0x47, 0x4D, 0x54),  // GMT
      let month = months.firstIndex(where: { name in
        zip(name.utf8, 8..<11).allSatisfy { $0 == text[$1] }
      }),
      let day = number(5, 2), let year = number(12, 4), let hour = number(17, 2),
      let minute = number(20, 2), let second = number(23, 2),
      (1...31).contains(day), (1970...9999).contains(year), hour < 24, minute < 60, second < 61
    else { return nil }
    return days(year: year, month: month + 1, day: day) * 86_400 + hour * 3600 + minute * 60
      + second
  }

  private static func year(_ text: String) -> Int? {
    guard let year = number(text) else { return nil }
    if text.utf8.count == 2 { return year < 70 ? 2000 + year : 1900 + year }
    return (1970...9999).contains(year) ? year : nil
  }

  /// Digits only, and not so many that they overflow.
  private static func number(_ text: String) -> Int? {
    guard text.utf8.count <= 4, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }

  private static func pair(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// The day number since 1970 of a Gregorian date, with years that start in March so that the
  /// leap day is the last.
  private static func days(year: Int, month: Int, day: Int) -> Int {
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
