/// Synthetic traces of programs that show images.
///
/// The same seed gives the same trace on every machine. Popularity falls with the rank to the power
/// of 7/8.
public enum SampleTrace: String, Sendable, Hashable, CaseIterable {
  /// A feed: 3,000 people with a face of 36 KB, and posts of which 45 % have a photo of 1.4 to 1.9
  /// MB; 28 % of the views scroll back, and sometimes the user returns to the top.
  case feed
  /// 40 albums with thumbnails of 256 KB: the user scrolls forward and back, and sometimes opens a
  /// photo.
  case grid
  /// A server of 60,000 small images; one request in five is for an image that is never requested
  /// again.
  case server

  /// About 40,000 requests.
  public func requests(seed: UInt64) -> [TraceRequest] {
    var scene = Scene(seed: seed)
    switch self {
    case .feed: scene.showFeed()
    case .grid: scene.showGrid()
    case .server: scene.serve()
    }
    return scene.requests
  }

  private static let count = 40_000

  /// Generates the requests.
  private struct Scene {
    var requests: [TraceRequest] = []
    private var random: SplitMix

    init(seed: UInt64) { random = SplitMix(state: seed) }

    private mutating func ask(_ key: Int, bytes: Int) {
      let time = Int64(requests.count) * 20_000
      requests.append(TraceRequest(time: time, key: UInt64(key), bytes: bytes))
    }

    mutating func showFeed() {
      let people = Popularity(count: 3000)
      var posts: [(person: Int, photoBytes: Int)] = []
      var top = 0
      var place = 0
      while requests.count < SampleTrace.count {
        var looks = [place]
        switch random.below(1000) {
        case 0..<280:
          // Mostly a few posts back, sometimes hundreds.
          let reach = random.below(100) < 70 ? 12 : 400
          looks = [max(0, place - 1 - random.below(reach))]
        case 280..<290:
          // Five new posts, followed by those that were new last time.
          place = posts.count + 5
          looks = Array(posts.count..<place) + Array(top..<min(top + 15, posts.count))
          top = posts.count
        default:
          place += 1
        }
        while posts.count <= place {
          let photo = random.below(100) < 45 ? 1_400_000 + random.below(500_000) : 0
          posts.append((people.pick(&random), photo))
        }
        for look in looks { show(posts[look], look) }
      }
    }

    private mutating func show(_ post: (person: Int, photoBytes: Int), _ number: Int) {
      ask(post.person, bytes: 36_864)
      if post.photoBytes > 0 { ask(1_000_000 + number, bytes: post.photoBytes) }
    }

    mutating func showGrid() {
      let albums = Popularity(count: 40)
      while requests.count < SampleTrace.count {
        let album = albums.pick(&random)
        let length = 80 + album * 7 % 160
        let end = random.below(100) < 40 ? length : random.below(length)
        var place = 0
        while place < end {
          ask(album * 1000 + place, bytes: 262_144)
          if random.below(100) < 3 { ask(1_000_000 + album * 1000 + place, bytes: 4_194_304) }
          if random.below(100) < 2 {
            for back in 0..<min(place, 12 + random.below(48)) {
              ask(album * 1000 + place - back, bytes: 262_144)
            }
          }
          place += 1
        }
      }
    }

    mutating func serve() {
      let images = Popularity(count: 60_000)
      var once = 1_000_000
      while requests.count < SampleTrace.count {
        if random.below(5) == 0 {
          once += 1
          ask(once, bytes: bytes(of: once))
        } else {
          let image = images.pick(&random)
          ask(image, bytes: bytes(of: image))
        }
      }
    }

    /// From 3 to 200 KB, about 25 KB in the middle, always the same for an image.
    private func bytes(of image: Int) -> Int {
      var random = SplitMix(state: UInt64(image))
      return (0..<4).reduce(25_000) { size, _ in size * (60 + random.below(107)) / 100 }
    }
  }

  /// Random ranks with a power-law frequency.
  private struct Popularity {
    private let sums: [Double]

    init(count: Int) {
      var sum = 0.0
      sums = (1...count).map { rank in
        let half = Double(rank).squareRoot()
        let quarter = half.squareRoot()
        sum += 1 / (half * quarter * quarter.squareRoot())
        return sum
      }
    }

    func pick(_ random: inout SplitMix) -> Int {
      guard let all = sums.last else { return 0 }
      let target = all * Double(random.next() >> 11) / Double(1 << 53)
      var (low, high) = (0, sums.count - 1)
      while low < high {
        let middle = (low + high) / 2
        if sums[middle] <= target { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  /// SplitMix64.
  private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  }
}
