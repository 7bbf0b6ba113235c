import IkranPixels

/// The batches of a source that wait or run, found by their number and by what they decode.
struct SourceBatches {
  private struct Decode: Hashable {
    let body: BodyID
    let fitting: Fitting
  }

  private var all: [SourceLoad.BatchNumber: SourceLoad.Batch] = [:]
  private var decodes: [Decode: [SourceLoad.BatchNumber]] = [:]
  /// Those whose bytes have just arrived, in the order in which they began.
  private var arriving: [SourceLoad.BatchNumber] = []

  var isEmpty: Bool { all.isEmpty }
  /// In the order in which they began.
  var numbers: [SourceLoad.BatchNumber] { all.keys.sorted() }

  subscript(number: SourceLoad.BatchNumber) -> SourceLoad.Batch? { all[number] }

  /// The transfers whose bytes are being identified, in the order in which they arrived.
  var arrivals: [(batch: SourceLoad.BatchNumber, transfer: SourceLoad.Transfer)] {
    arriving.compactMap { number in all[number]?.arrival.map { (number, $0) } }
  }

  /// The batches that make these pixels of a body, in the order in which they began.
  func decoding(_ fitting: Fitting, of body: BodyID) -> [SourceLoad.Batch] {
    decodes[Decode(body: body, fitting: fitting), default: []].compactMap { all[$0] }
  }

  mutating func add(_ batch: SourceLoad.Batch) {
    all[batch.number] = batch
    if batch.arrival != nil { arriving.append(batch.number) }
    for decode in Self.decodes(of: batch) { decodes[decode, default: []].append(batch.number) }
  }

  mutating func remove(_ number: SourceLoad.BatchNumber) -> SourceLoad.Batch? {
    guard let batch = all.removeValue(forKey: number) else { return nil }
    if batch.arrival != nil { arriving.removeAll { $0 == number } }
    for decode in Self.decodes(of: batch) {
      decodes[decode]?.removeAll { $0 == number }
      if decodes[decode]?.isEmpty == true { decodes[decode] = nil }
    }
    return batch
  }

  mutating func setPriority(_ priority: ImagePriority, of number: SourceLoad.BatchNumber) {
    all[number]?.priority = priority
  }

  /// Notes that no subscriber waits for a batch; whether that is new.
  mutating func abandon(_ number: SourceLoad.BatchNumber) -> Bool {
    guard all[number]?.isAbandoned == false else { return false }
    all[number]?.isAbandoned = true
    return true
  }

  /// New bytes have no id yet, so no other subscriber can join their decode.
  private static func decodes(of batch: SourceLoad.Batch) -> [Decode] {
    guard let body = batch.input.body else { return [] }
    return batch.renderTargets.keys.map { Decode(body: body, fitting: $0) }
  }
}

extension SourceLoad {
  struct Batch {
    /// What its images are made of.
    enum Input {
      /// A cache's copy, which may be damaged.
      case cached(BodyID)
      /// What an earlier transfer brought: it has proved to be an image.
      case transferred(BodyID)
      /// What a transfer has just brought: the batch finds out what that is. A download is kept by
      /// the caches, though no caller waits.
      case arrival(Transfer, isDownload: Bool)

      /// The body's id; nil until it is known.
      var body: BodyID? {
        switch self {
        case .cached(let id), .transferred(let id): id
        case .arrival: nil
        }
      }

      var isCached: Bool { if case .cached = self { true } else { false } }
      var isDownload: Bool {
        if case .arrival(_, let isDownload) = self { isDownload } else { false }
      }
    }

    let number: BatchNumber
    let input: Input
    /// Whether its body is the beginning of a file.
    let isPrefix: Bool
    var priority: ImagePriority
    /// Whether no subscriber waits for its images any more.
    var isAbandoned = false
    /// What is drawn of the same pixels, and the caches that store it.
    let renderTargets: [Fitting: [RenderTarget: CacheStages]]

    /// The transfer that has just brought its body.
    var arrival: Transfer? { if case .arrival(let transfer, _) = input { transfer } else { nil } }
  }
}
