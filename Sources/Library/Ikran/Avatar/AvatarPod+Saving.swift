import IkranFoundation
import IkranPixels
import IkranStores

// What avatars' storages are given.

extension AvatarPod {
  /// Whether the URL has brought bytes while the process ran that a storage was not given.
  func isOlder(_ key: SavedKey, than request: ImageRequest) -> Bool {
    guard let newest = newestBytes(of: request) else { return false }
    return saved.value(for: key) != newest
  }

  /// Saves an image and its file to a storage, after those were served who wait for the image.
  ///
  /// What was made of the storage's own file is not saved when the URL has brought other bytes
  /// since the storage was asked; `known` are those that it had brought then.
  func save(
    _ image: LoadedImage,
    of avatar: some Avatar,
    as request: ImageRequest,
    since known: BodyID?,
    _ file: [UInt8]
  ) {
    let isOwn = image.cached.body == nil
    let key = savedKey(of: avatar, as: request)
    add(image, to: avatar, as: key, fileBytes: file.count) { [self] in
      isOwn && newestBytes(of: request) != known ? nil : file
    }
  }

  /// Saves an image of bytes that the URL has brought to a storage that was not given them.
  func saveAgain(_ image: LoadedImage, of avatar: some Avatar, as request: ImageRequest) {
    guard let body = image.cached.body else { return }
    let key = savedKey(of: avatar, as: request)
    guard isOlder(key, than: request), !isQueued(body, as: key) else { return }
    add(image, to: avatar, as: key, fileBytes: 0) { [pipeline] in
      // A file that no cache has any more is saved when it is downloaded again.
      let file = try? await pipeline.loadBody(request, Subscription(.low), demand: .cached)
      return file?.id == body ? file?.bytes : nil
    }
  }

  private func add(
    _ loaded: LoadedImage,
    to avatar: some Avatar,
    as key: SavedKey,
    fileBytes: Int,
    file: @escaping @Sendable () async -> [UInt8]?
  ) {
    let (image, body) = (loaded.cached.image, loaded.cached.body)
    let names = [key, key.ofFile]
    let target = AvatarSaves.Target(storageID: key.storageID, source: key.source)
    if let body { queued.store(QueuedSave(body: body), cost: 1, for: key) }
    let isAdded = saves.add(target, bytes: fileBytes + image.byteCount) { [self] in
      guard let file = await file() else { return }
      guard await ask({ try await avatar.save(original: Data(file), styled: image) }) != nil else {
        return tryAgainLater(body, as: key)
      }
      guard let body else { return }
      for name in names { saved.store(body, cost: 1, for: name) }
    }
    guard !isAdded else { return }
    tryAgainLater(body, as: key)
    pipeline.context.counters.count(.avatarStorageFailed("too many avatars wait to be saved"))
  }

  /// Whether bytes are to be given to a storage, or were a moment ago.
  private func isQueued(_ body: BodyID, as key: SavedKey) -> Bool {
    guard let last = queued.value(for: key), last.body == body else { return false }
    return pipeline.context.clock.now() < last.end
  }

  /// The id of the bytes that the URL has brought while this process ran; nil when it has not.
  func newestBytes(of request: ImageRequest) -> BodyID? {
    let record = pipeline.finalVisit(request).record
    return record?.isOfThisProcess == true ? record?.body : nil
  }

  /// Lets a save that has failed be tried again after a minute.
  private func tryAgainLater(_ body: BodyID?, as key: SavedKey) {
    guard let body else { return }
    let end = pipeline.context.clock.now().addingReportingOverflow(60_000_000).partialValue
    queued.store(QueuedSave(body: body, end: end), cost: 1, for: key)
  }
}

/// A save that waits, runs or has failed.
struct QueuedSave {
  let body: BodyID
  /// When the same is saved again, in microseconds since 1970.
  var end = Int64.max
}
