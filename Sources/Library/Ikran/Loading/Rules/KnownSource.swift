extension SourceLoad {
  /// How far what was found may be used.
  enum Validity: Sendable, Equatable {
    case fresh
    /// It may be used, and is to be revalidated in the background.
    case staleWhileRevalidate
    case stale(usableOnError: Bool)

    /// Decides by what a request wants, by a response's own fields (nil when only the disk has
    /// them), and by how long ago the response came; nil when it is not known.
    static func decided(
      by expiry: ResponseOptions.Expiry,
      response validity: Validity?,
      age: Duration
    ) -> Validity? {
      switch expiry {
      case .never: return .fresh
      case .fromResponse: return validity
      case .after(let duration):
        if age < duration { return .fresh }
        if case .stale? = validity { return validity }
        return .stale(usableOnError: true)
      }
    }
  }

  /// Bytes of the source.
  struct KnownBody: Sendable {
    var body: Body
    /// The transfer that brought them; nil for a cache's copy, which may be damaged.
    let transfer: Transfer?
  }

  /// What is known of the source's bytes.
  struct KnownSource: Sendable {
    /// Nil when only the record is known.
    var knownBody: KnownBody?
    var id: BodyID
    /// What a conditional transfer sends; nil when there is nothing to send.
    var validators: StoredResponse?
    /// By its response's own fields; nil when only the disk knows.
    var validity: Validity?
    /// How long ago the origin last said so.
    var age: Duration
    /// The transfer that brought or confirmed it; nil for a cache.
    var transfer: TransferNumber?

    init(
      _ body: Body?,
      id: BodyID,
      validators: StoredResponse?,
      validity: Validity?,
      age: Duration = .zero
    ) {
      knownBody = body.map { KnownBody(body: $0, transfer: nil) }
      (self.id, self.validators) = (id, validators)
      (self.validity, self.age) = (validity, age)
    }

    var body: Body? { knownBody?.body }

    /// Whether its body is a cache's copy, if there is one.
    var isCached: Bool { knownBody?.transfer == nil }

    /// What a cache has whose reading began after a change.
    func read(since change: ChangeNumber) -> KnownSource {
      var known = self
      known.knownBody?.body.since = change
      return known
    }

    /// How far it may be used by a request that decides so how long it asks nothing.
    func validity(under expiry: ResponseOptions.Expiry) -> Validity {
      .decided(by: expiry, response: validity, age: age) ?? .stale(usableOnError: false)
    }
  }
}
