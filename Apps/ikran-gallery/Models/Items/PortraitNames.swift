/// Names for the portraits that the origin draws: the same for each number, always.
enum PortraitNames {
  /// The name of a portrait; 2,000 numbers have different ones.
  static func name(_ number: Int) -> String {
    let first = firstNames[number % firstNames.count]
    let last = lastNames[(number / firstNames.count + number * 7) % lastNames.count]
    let round = number / (firstNames.count * lastNames.count)
    return round == 0 ? "\(first) \(last)" : "\(first) \(last) \(round + 1)"
  }

  private static let firstNames = [
    "Alex", "Ari", "Ash", "Blake", "Casey", "Charlie", "Dana", "Eden", "Ellis", "Emery",
    "Ezra", "Finley", "Harper", "Indigo", "Jamie", "Jesse", "Jules", "Kai", "Kim", "Lee",
    "Luca", "Morgan", "Nico", "Noa", "Parker", "Quinn", "Reese", "Remy", "Riley", "Robin",
    "Rowan", "Sage", "Sam", "Sasha", "Skyler", "Taylor", "Toby", "Val", "Winter", "Yuri",
  ]

  private static let lastNames = [
    "Abara", "Adler", "Almeida", "Baptiste", "Berg", "Bianchi", "Castro", "Chen", "Costa", "Dahl",
    "Diallo", "Dubois", "Eriksen", "Farouk", "Fischer", "Garcia", "Haddad", "Hansen", "Hoang",
    "Ibarra", "Ito", "Jansen", "Kaya", "Keita", "Kowalski", "Larsen", "Lopez", "Mensah", "Meyer",
    "Moreau", "Nakamura", "Novak", "Okafor", "Olsen", "Ortega", "Park", "Patel", "Petrov", "Quispe",
    "Rao", "Rossi", "Sato", "Silva", "Singh", "Sokolov", "Tanaka", "Toure", "Varga", "Weber",
    "Yilmaz",
  ]
}
