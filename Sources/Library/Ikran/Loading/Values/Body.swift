/// A source's bytes and where they were found.
struct Body: Sendable {
  /// The transfer of a body that has just arrived over the network.
  struct Arrival: Sendable {
    let response: StoredResponse
    /// What it was transferred for.
    let sentFor: SourceRequest
    /// How it was transferred, and what the first request wanted.
    let order: SourceLoad.TransferOrder
    /// The transfer that brought it.
    let transfer: RunningTransfer
    /// The room that the body takes among those that wait for the decoder.
    let room: Backlog.Reservation?

    /// Whether something was known that a 304 would have confirmed.
    var hadValidators: Bool { order.validators != nil }
  }

  /// Whether caches may keep what is made from it.
  enum Storing: Sendable {
    case allowed
    /// Its response forbids that: only for requests that never revalidate.
    case onlyWithoutRevalidation
    case forbidden

    /// What a response says of that.
    init(_ response: StoredResponse, method: String) {
      if response.mayStore(method: method) {
        self = .allowed
      } else {
        self = method == "GET" ? .onlyWithoutRevalidation : .forbidden
      }
    }
  }

  let bytes: [UInt8]
  let source: ImageSource
  /// Nil until it is known.
  var id: BodyID?
  /// The key of the source that the bytes came from: after redirects, the last target's.
  let sourceKey: SourceKey
  var arrival: Arrival?
  /// Its place among all changes: from before its cache was read, or when it was sent for.
  ///
  /// Caches that were emptied later do not get it.
  var since = ChangeNumber.none
  var storing = Storing.allowed
  /// Describes the body when only the beginning of the file is there; nil when all of it is.
  ///
  /// Such a body goes the way of a whole one, but the disk has it among the partial bodies, never
  /// as the file.
  var prefix: BodyPrefix?

  /// Whether it is a cache's copy: what is missing of it is damage, and not shown.
  var mustBeWhole: Bool {
    switch source {
    case .memory, .table, .avatar, .disk: true
    case .network, .file, .data, .hook: false
    }
  }

  /// The cache that had it.
  var stage: CacheStages { source == .disk ? .disk : .memory }

  /// Whether caches may keep what is made from it for a request.
  func mayBeStored(for want: SourceLoad.Want) -> Bool {
    switch storing {
    case .allowed: true
    case .onlyWithoutRevalidation: want.neverRevalidates
    case .forbidden: false
    }
  }

  /// The caches that keep what is made from it for a request.
  func stores(for want: SourceLoad.Want) -> CacheStages {
    mayBeStored(for: want) ? want.stores : []
  }

  /// Whether its bytes are enough for a request; the beginning of a file is only for those that say
  /// so.
  func isEnough(for want: SourceLoad.Want) -> Bool {
    guard let prefix else { return true }
    return want.beginning.map(prefix.isEnough) ?? false
  }
}
