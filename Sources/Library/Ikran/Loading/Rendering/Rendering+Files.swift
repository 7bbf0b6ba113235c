import IkranPixels
import IkranStores

// What later processes find: queued for the disk and the tables, after the images are made.

extension Rendering {
  /// Queues the file and the images that the requests want stored.
  func persist(_ made: [RenderedImage]) {
    if case .forbidden = body.storing { return }
    guard body.source != .avatar else { return }
    if let identified {
      persist(identified)
    } else if body.source == .memory || body.source == .network {
      persistMissingFile(frames: made.map(\.loaded.cached.frames).max() ?? 1)
    }
    // What a cache has can be made again: it is not worth making a full queue longer.
    guard identified != nil || context.network.backlog.hasRoom else { return }
    // Images that were found, too: the request that made them may have wanted memory alone.
    for image in made where image.isNew || body.source == .network {
      let wanting = members.filter { $0.want.renderTarget == image.renderTarget }
      let first = wanting.map(\.request).first { context.mayBeInTables($0) }
      guard let first else { continue }
      let storing = wanting.first { want in
        body.stores(for: want.want).contains(.disk)
          && want.want.contents.includesImage(in: image.renderTarget.key.style)
      }
      context.persist(
        image.loaded.cached,
        as: image.renderTarget,
        inTables: stores(for: wanting).contains(.tables),
        onDisk: first.isDownload ? storing?.want.contents : nil,
        if: isCurrent(for: first)
      )
    }
  }

  /// Stores a file that has just arrived, if any of the requests wants it stored.
  private func persist(_ identified: Identified) {
    let (response, isSame) = (identified.response, identified.isSame)
    let key = "\(source)"
    let isCurrent = isCurrent
    let wanting = requestStoring { $0.contents.includesFile(for: $0, frames: identified.frames) }
    // Of a file that is named by its beginning the disk may have the record alone.
    let mayBeStored =
      body.arrival?.hadValidators == true && response.identifiedByteCount == nil
    if isSame, mayBeStored || body.prefix != nil {
      context.disk.extend(response, for: key)
      if body.prefix == nil, let wanting { store(response, for: wanting, onlyIfMissing: true) }
    } else if let wanting, body.prefix == nil {
      store(response, for: wanting)
    } else if isSame {
      context.disk.extend(response, for: key)
    } else if wantsFiles {
      // The record is kept also without the file: what was made from it needs it.
      context.disk.store(response.bytes, for: key, cost: 0) { isCurrent() ? [] : nil }
    } else {
      context.disk.remove(key) { [records = context.records, id, source] in
        records.isCurrent(id, of: source)
      }
    }
  }

  /// Stores a file that was in memory only, or has arrived for others who did not want it stored,
  /// for a request that wants it on the disk.
  private func persistMissingFile(frames: Int) {
    let isNew = body.source == .network
    let wanting = requestStoring { want in
      if isNew { return want.contents.includesFile(for: want, frames: frames) }
      return want.isForDisk || want.contents.isAutomatic && want.isOfOriginal
    }
    if isNew, wantsFiles { context.records.persist(id, of: source) }
    guard body.prefix == nil, let wanting,
      let response = context.record(of: wanting.source)?.response,
      response.body == id
    else { return }
    store(response, for: wanting, onlyIfMissing: true)
  }

  /// The first request that wants its file on the disk, if it is one of those that may have it.
  private func requestStoring(where mayHave: (SourceLoad.Want) -> Bool) -> WantedSource? {
    requests.first { body.stores(for: $0.want).contains(.disk) && mayHave($0.want) }
  }

  /// Whether any request wants something that later processes have.
  var wantsFiles: Bool { !stores(for: requests).isDisjoint(with: .files) }

  /// Whether what is written is a source's still, and its caches were not emptied since.
  private var isCurrent: @Sendable () -> Bool {
    { [records = context.records, id, source, since = body.since] in
      records.isCurrent(id, of: source) && !records.wereEmptied(since: since)
    }
  }

  /// Whether what is made for a request is its source's still; a local file has not changed then.
  private func isCurrent(for request: ImageRequest) -> @Sendable () -> Bool {
    guard !request.isDownload else { return isCurrent }
    return { [context, id, source, since = body.since] in
      !context.records.wereEmptied(since: since)
        && context.tableVersion(ofLocal: request, source) == id
    }
  }

  private func store(
    _ response: StoredResponse,
    for wanting: WantedSource,
    onlyIfMissing: Bool = false
  ) {
    let bytes = body.bytes
    let willStore = context.network.hooks(for: wanting.request).willStore
    let content: @Sendable () -> [UInt8]? = { [isCurrent] in
      guard isCurrent() else { return nil }
      guard let willStore else { return bytes }
      return (try? willStore(bytes, wanting.request)) ?? []
    }
    let (disk, key, cost) = (context.disk, "\(source)", bytes.count)
    let isNeeded = wanting.want.isForDisk
    if onlyIfMissing {
      disk.storeIfMissing(response.bytes, for: key, cost: cost, isNeeded: isNeeded, content)
    } else {
      disk.store(response.bytes, for: key, cost: cost, isNeeded: isNeeded, content)
    }
  }
}
