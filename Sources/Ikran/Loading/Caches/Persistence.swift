import IkranPixels
import IkranStores

// What the disk and the tables are given, after the callers have been served.

extension LoadStages {
  /// Stores a file that has just arrived, if any of the requests wants it stored.
  func persistFile(
    _ body: Body,
    _ id: BodyID,
    _ response: StoredResponse,
    _ requests: [ImageRequest],
    _ frames: Int,
    _ isSame: Bool
  ) {
    let source = body.sourceKey
    let key = "\(source)"
    let isCurrent: @Sendable () -> Bool = { [records] in records.isCurrent(id, of: source) }
    let storing = requests.first { request in
      request.caching.stores.contains(.disk)
        && options.disk?.contents.includesFile(of: request, frames: frames) ?? true
    }
    // Of a file that is named by its beginning the disk may have the record alone.
    let isStored = body.arrival?.wasConditional == true && response.identifiedByteCount == nil
    if isSame, isStored || body.prefix != nil {
      disk.extend(response, for: key)
    } else if let storing, body.prefix == nil {
      store(body, id, response, storing)
    } else if isSame {
      disk.extend(response, for: key)
    } else if requests.contains(where: { !$0.caching.stores.isDisjoint(with: .files) }) {
      // The record is kept also without the file: what was made from it needs it.
      disk.store(response.bytes, for: key, cost: 0) { isCurrent() ? [] : nil }
    } else {
      disk.remove(key, if: isCurrent)
    }
  }

  /// Stores a file that was in memory only, or has arrived for others who did not want it stored,
  /// for a request that wants it on the disk.
  func persistMissingFile(
    _ body: Body,
    _ id: BodyID,
    _ requests: [ImageRequest],
    _ frames: Int
  ) {
    let contents = options.disk?.contents ?? .originals
    let storing = requests.first { request in
      guard request.caching.stores.contains(.disk) else { return false }
      if body.source == .network { return contents.includesFile(of: request, frames: frames) }
      return request.isForDisk || contents == .automatic && request.look == .original
    }
    if body.source == .network,
      requests.contains(where: { !$0.caching.stores.isDisjoint(with: .files) })
    {
      records.persist(id, of: body.sourceKey)
    }
    guard body.prefix == nil, let storing,
      let response = record(of: body.sourceKey, storing)?.response, response.body == id
    else { return }
    store(body, id, response, storing, onlyIfMissing: true)
  }

  private func store(
    _ body: Body,
    _ id: BodyID,
    _ response: StoredResponse,
    _ request: ImageRequest,
    onlyIfMissing: Bool = false
  ) {
    let source = body.sourceKey
    let (bytes, willStore) = (body.bytes, options.hooks.willStore)
    let content: @Sendable () -> [UInt8]? = { [records] in
      guard records.isCurrent(id, of: source) else { return nil }
      guard let willStore else { return bytes }
      return (try? willStore(bytes, request)) ?? []
    }
    let store = onlyIfMissing ? disk.storeIfMissing : disk.store
    store(response.bytes, "\(source)", bytes.count, request.isForDisk, content)
  }

  /// Stores a styled image in its table, else on the disk, for those requests that want it there.
  func persistImage(
    _ image: CachedImage,
    _ drawing: SourceLoad.Drawing,
    _ id: BodyID,
    _ requests: [ImageRequest]
  ) {
    let isStill = image.frames == 1
    guard isStill || !options.decoding.animates, requests.contains(where: \.isDownload) else {
      return
    }
    if let tables, requests.contains(where: { $0.caching.stores.contains(.tables) }),
      drawing.fitting.fixedSize == image.image.size,
      tables.store(image.image, for: drawing.key, version: isStill ? id : id.ofFirstFrame)
    {
      return
    }
    guard isStill, let request = requests.first(where: { $0.caching.stores.contains(.disk) }),
      let contents = options.disk?.contents, contents.includesImage(of: request)
    else { return }
    let source = drawing.key.source
    let (bitmap, mark) = (image.image, Self.mark(of: id))
    disk.store(mark, for: Self.name(of: drawing.key), cost: bitmap.byteCount) { [records] in
      guard records.isCurrent(id, of: source) else { return nil }
      return try contents.encoded(bitmap)
    }
  }

  /// The image of these bytes in its table.
  ///
  /// Of an animated file only a pipeline that shows first frames takes one from there.
  func imageInTable(_ key: StyledKey, _ size: PixelSize, _ id: BodyID) -> Bitmap? {
    if let image = tables?.image(for: key, size: size, version: id) { return image }
    guard !options.decoding.animates else { return nil }
    return tables?.image(for: key, size: size, version: id.ofFirstFrame)
  }

  /// What the disk calls a styled image.
  static func name(of key: StyledKey) -> String { "styled \(key.id)" }

  /// What a styled image on the disk is marked with: the id of the bytes that it was made from.
  static func mark(of id: BodyID) -> [UInt8] { Array("ikran-styled 2 \(id)".utf8) }

  /// Removes an undecodable body from the caches that it came from.
  func forget(_ body: Body, _ error: ImageError) {
    // Out of memory: the file may be valid.
    if case .decode(.bitmap, _, _) = error { return }
    switch body.source {
    case .memory, .disk, .network:
      bodies.remove(body.sourceKey)
      disk.remove("\(body.sourceKey)")
    case .file: bodies.remove(body.sourceKey)
    case .table, .avatar, .data: break
    }
  }

  /// Remembers that what a source brought is no image.
  ///
  /// A page in its place is not remembered: a log-in page of the network is gone a moment later.
  func noteFailure(_ error: ImageError, of body: Body) {
    guard let arrival = body.arrival else { return }
    network.failures.note(
      error,
      for: arrival.request.loadKey(of: body.sourceKey),
      at: clock.now(),
      byDefault: codecs.mayBeImage(body.bytes.span) && !arrival.response.cacheControl.noStore
    )
  }
}
