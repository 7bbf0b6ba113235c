import IkranStores

// Styled images on the disk, encoded without loss: for those whose size no table has.

extension ImagePipeline {
  /// The image as it was styled before, if the disk keeps such and this one was made from the
  /// current bytes.
  func processedImage(
    _ request: ImageRequest,
    _ key: StyledKey,
    _ subscription: Subscription
  ) async throws(ImageError) -> LoadedImage? {
    guard request.isDownload, options.disk?.contents.includesImage(of: request) == true,
      request.caching.policy != .reload, request.caching.reads.contains(.disk)
    else { return nil }
    subscription.startWaiting(at: clock.now())
    if stages.record(of: key.source, request)?.response == nil {
      if let response = try await disk.record(for: "\(key.source)", subscription) {
        _ = stages.learn(response, of: key.source, request)
      }
    }
    guard let id = stages.record(of: key.source, request)?.body,
      let entry = try await disk.entry(for: LoadStages.name(of: key), subscription),
      entry.extended == LoadStages.mark(of: id)
    else { return nil }
    let file = Body(bytes: entry.body, source: .disk, id: id, sourceKey: key.source)
    let decoded: DecodedImage
    // It has the format in which the disk stores images, whatever its source has.
    var plain = request
    plain.format = nil
    do throws(ImageError) {
      decoded = try await computing.run(subscription) {
        [stages, plain] (workspace) throws(ImageError) in
        try stages.decode(file, .original, plain, workspace)
      }
    } catch .cancelled {
      throw .cancelled
    } catch {
      disk.remove(LoadStages.name(of: key))
      return nil
    }
    counters.record(.readFromDisk(bytes: entry.body.count))
    var image = CachedImage(decoded.image, of: decoded, nil, body: id)
    // That would be the styled file.
    image.file = nil
    if request.caching.stores.contains(.memory) { images.store(image, for: key) }
    return LoadedImage(image, from: .disk)
  }
}
