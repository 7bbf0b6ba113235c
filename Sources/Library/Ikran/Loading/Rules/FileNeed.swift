package import IkranCodecs
package import IkranPixels

/// Which pixels of a file are needed, once its header is known; nil for all of its bytes.
package typealias NeededPixels = @Sendable (ImageInfo) -> Fitting?

// Decision 90: downloads of the service end early where that is asked for.
/// What of a file is enough for a request that does not need all of it.
enum FileNeed: Sendable {
  case pixels(Fitting)
  /// The bytes with which some pixels can be made, of a file whose length is known.
  case bytes(NeededPixels)
}

/// What of a file is enough for several requests, none of which needs all of it.
struct FileNeeds: Sendable {
  private(set) var fittings: Set<Fitting> = []
  private var rules: [NeededPixels] = []

  init(_ needs: [FileNeed]) {
    for need in needs {
      switch need {
      case .pixels(let fitting): fittings.insert(fitting)
      case .bytes(let rule): rules.append(rule)
      }
    }
  }

  /// Whether no request waits.
  var isEmpty: Bool { count == 0 }

  /// How many beginnings may be enough, each for some of the requests.
  var count: Int { fittings.count + rules.count }

  /// Whether the beginning of a file is enough for all.
  func areMet(by prefix: BodyPrefix) -> Bool {
    fittings.allSatisfy { prefix.isEnough(for: .pixels($0)) }
      && rules.allSatisfy { prefix.isEnough(for: .bytes($0)) }
  }
}
