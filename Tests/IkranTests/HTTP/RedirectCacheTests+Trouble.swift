import IkranServer
import IkranStores
import IkranTransport
import Support
import Testing

@testable import Ikran

// Redirects that lead nowhere, in circles, or to what a stranger chose.

extension RedirectCacheTests {
  @Test func aRefreshThatFindsNothingAsksEveryHopToo() async throws {
    site.redirect("/a", to: "/old.png", 301, ["Cache-Control": "max-age=60"])
    let pipeline = pipeline()
    _ = try await shown(pipeline)
    pipeline.remove(request("/old.png"))
    site.redirect("/a", to: "/new.png")
    #expect(try await shown(pipeline, "/a", .refresh) == 9)
    #expect(site.paths == ["/a", "/old.png", "/a", "/new.png"])
  }

  /// A network that wants a log-in first, and a site under repair, answer with redirects too.
  @Test(arguments: [true, false])
  func aRedirectToNoImageReplacesNothing(wasRedirect: Bool) async throws {
    if wasRedirect {
      site.redirect("/a", to: "/old.png")
    } else {
      site.put("/a", try TestImages.png(width: 8, height: 8), ["Cache-Control": "max-age=1"])
    }
    let first = pipeline()
    #expect(try await shown(first) == 8)
    site.put("/login", Array("<html>log in</html>".utf8), [:])
    for (target, status) in [("/login", 200), ("/repair", 503)] {
      if status != 200 { site.fail(target, status) }
      site.redirect("/a", to: target)
      clock.advance(by: .seconds(99))
      #expect(try await shown(first) == 8)
      clock.advance(by: .seconds(99))
      #expect(try await first.probe(request()).size.width == 8)
      clock.advance(by: .seconds(99))
      #expect(try await !first.data(for: request()).isEmpty)
    }
    await first.finishWriting()
    #expect(try await shown(pipeline(), "/a", .onlyCached) == 8)
    site.redirect("/a", to: "/new.png")
    clock.advance(by: .seconds(99))
    #expect(try await shown(first) == 9)
  }

  @Test func aRedirectToWhatIsGoneShowsNothing() async throws {
    site.put("/a", try TestImages.png(width: 8, height: 8), ["Cache-Control": "max-age=1"])
    let first = pipeline()
    _ = try await shown(first)
    clock.advance(by: .seconds(2))
    site.redirect("/a", to: "/gone")
    await #expect(throws: ImageError.self) { try await shown(first) }
    await first.finishWriting()
    await #expect(throws: ImageError.self) { try await shown(pipeline(), "/a", .onlyCached) }
  }

  /// Its own picture is stale, and no cache that it reads has the bytes any more.
  @Test func aRedirectThatLeadsNowhereSaysWhyWhenThereIsNothingOlderToShow() async throws {
    site.put("/a", try TestImages.png(width: 8, height: 8), ["Cache-Control": "max-age=1"])
    let pipeline = pipeline()
    _ = try await shown(pipeline)
    clock.advance(by: .seconds(2))
    site.redirect("/a", to: "/repair")
    site.fail("/repair", 503)
    var request = request("/a", .standard, .original)
    request.caching.reads = []
    do {
      _ = try await pipeline.image(for: request)
      Issue.record("a picture came")
    } catch {
      if case .status(503, _, _) = error { return }
      Issue.record("\(error)")
    }
  }

  @Test func aSlowOriginOfARedirectIsAskedOnceAMinute() async throws {
    site.redirect("/a", to: "/old.png")
    let pipeline = pipeline()
    _ = try await shown(pipeline)
    site.fail("/a", 503)
    for _ in 0..<5 { #expect(try await shown(pipeline) == 8) }
    #expect(site.paths == ["/a", "/old.png", "/a"])
    clock.advance(by: .seconds(61))
    _ = try await shown(pipeline)
    #expect(site.paths.count == 4)
  }

  @Test func aRedirectWithoutALifetimeIsRevalidatedOnceInTheBackground() async throws {
    site.redirect("/a", to: "/old.png", 301)
    let pipeline = pipeline()
    for _ in 0..<9 {
      #expect(try await shown(pipeline) == 8)
      await pipeline.finishWriting()
    }
    #expect(site.paths == ["/a", "/old.png", "/a"])
  }

  @Test func storedRedirectsThatContradictEachOtherAreAskedAbout() async throws {
    let fresh = ["Cache-Control": "max-age=1000"]
    site.redirect("/a", to: "/b", 301, fresh)
    site.put("/b", try TestImages.png(width: 8, height: 8), ["Cache-Control": "max-age=1"])
    let pipeline = pipeline()
    _ = try await shown(pipeline)
    clock.advance(by: .seconds(2))
    site.put("/a", try TestImages.png(width: 9, height: 9), fresh)
    site.redirect("/b", to: "/a", 301, fresh)
    #expect(try await shown(pipeline, "/b") == 9)
    #expect(try await shown(pipeline, "/a") == 9)
    #expect(try await shown(pipeline, "/b", .refresh) == 9)
  }

  @Test func aFilterMayGiveARedirectAndItsTargetOneKey() async throws {
    let fresh = ["Cache-Control": "max-age=1000"]
    for fields in [[:], fresh] {
      site.redirect("/a", to: "/old.png", 301, fields)
      let pipeline = pipeline { $0.keys.filter = { _ in "one" } }
      for path in ["/a", "/a", "/old.png"] { #expect(try await shown(pipeline, path) == 8) }
      await pipeline.finishWriting()
      try disk.removeAll()
    }
  }

  @Test func aRequestThatStoresNothingRemovesNothing() async throws {
    site.redirect("/a", to: "/old.png")
    let first = pipeline()
    _ = try await shown(first)
    var request = request("/a", .standard, .original)
    request.transfer.headers = [HeaderField("Cache-Control", "no-store")]
    _ = try await first.response(for: request)
    await first.finishWriting()
    #expect(try await shown(pipeline(), "/a", .onlyCached) == 8)
  }

  @Test func anImagePutInPlaceOfARequestsIsFoundBehindARedirect() async throws {
    site.redirect("/a", to: "/old.png")
    let pipeline = pipeline()
    _ = try await shown(pipeline)
    let request = request("/a", .standard, .original)
    pipeline.store(try TestImages.gradient(width: 3, height: 3), for: request)
    #expect(pipeline.cached(for: request)?.width == 3)
  }

  // MARK: - Strangers

  /// What a stranger's redirect brings lacks the credential that a direct request carries.
  @Test func aStrangersRedirectChangesNothingOfADirectRequest() async throws {
    let image = try TestImages.png(width: 7, height: 7)
    let isHidden = Guarded(true)
    let asked = Guarded([Bool]())
    let home = try Origin(threads: 1) { head in
      let isKnown = head.header("x-token") != nil
      asked.withLock { $0.append(isKnown) }
      guard isKnown else {
        return isHidden.withLock { $0 } ? Response(404) : Response(200, body: image)
      }
      return self.site.answers.withLock { $0["/old.png"] }
    }
    defer { home.stop() }
    let pipeline = pipeline {
      $0.network.failures = FailureOptions()
      $0.hooks.willSend = { sent in
        var sent = sent
        sent.headers.append(HeaderField("X-Token", "secret"))
        return sent
      }
    }
    let direct = ImageRequest(location: home.baseURL + "/private.png", style: .original)
    #expect(try await pipeline.response(for: direct).image.width == 8)
    site.redirect("/a", to: home.baseURL + "/private.png")
    await #expect(throws: ImageError.self) { try await shown(pipeline, "/a", .refresh) }
    #expect(try await pipeline.response(for: direct).source == .memory)
    isHidden.withLock { $0 = false }
    pipeline.removeAllFailures()
    #expect(try await shown(pipeline, "/a", .refresh) == 7)
    #expect(try await pipeline.response(for: direct).image.width == 8)
    #expect(asked.withLock { $0 }.first == true)
    #expect(asked.withLock { $0 }.dropFirst().allSatisfy { !$0 })
  }

  @Test func aHookThatMakesItsOwnRequestLeaksNothing() async throws {
    let other = try RedirectSite()
    site.redirect("/a", to: other.origin.baseURL + "/old.png")
    let pipeline = pipeline {
      $0.hooks.willSend = { sent in
        TransportRequest(url: sent.url, headers: [HeaderField("Authorization", "token")])
      }
    }
    #expect(try await shown(pipeline) == 8)
    #expect(other.heads.withLock { $0.map { $0.header("authorization") } } == [nil])
    site.redirect("/a", to: other.origin.baseURL + "/new.png")
    #expect(try await shown(pipeline) == 9)
  }

  @Test func aHookThatSendsToAnotherHostKeepsItsFieldsThere() async throws {
    site.redirect("/a", to: "/old.png")
    let home = site.origin.baseURL
    let pipeline = pipeline {
      $0.hooks.willSend = { sent in
        var sent = sent
        sent.url = sent.url.replacing("http://images.test", with: home)
        sent.headers.append(HeaderField("X-Token", "secret"))
        return sent
      }
    }
    let request = ImageRequest(location: "http://images.test/a", style: .original)
    #expect(try await pipeline.response(for: request).image.width == 8)
    #expect(site.heads.withLock { $0.map { $0.header("x-token") } } == ["secret", "secret"])
  }

  @Test func theTargetOfAStoredRedirectIsTheOneThatAHookHasLedTo() async throws {
    site.redirect("/a", to: "/old.png", 302, ["Cache-Control": "max-age=60"])
    let home = site.origin.baseURL
    let pipeline = pipeline {
      $0.hooks.willSend = { sent in
        var sent = sent
        sent.url = sent.url.replacing("http://images.test", with: home)
        return sent
      }
    }
    let request = ImageRequest(location: "http://images.test/a", style: .original)
    _ = try await pipeline.response(for: request)
    #expect(pipeline.cached(for: request) != nil)
    await pipeline.finishWriting()
    pipeline.remove(request)
    site.fail("/old.png", 503)
    await #expect(throws: ImageError.self) { try await pipeline.response(for: request) }
  }

  @Test func aRemovalSparesTheTargetThatWasStoredAfterIt() async throws {
    site.redirect("/a", to: "/old.png", 302, ["Cache-Control": "max-age=60"])
    let first = pipeline()
    _ = try await shown(first)
    await first.finishWriting()
    let second = pipeline()
    let newer = try TestImages.png(width: 11, height: 8)
    second.remove(request())
    try second.store(newer, for: request("/old.png"))
    await second.finishWriting()
    #expect(try await shown(second, "/old.png", .onlyCached) == 11)
  }

  @Test func aRedirectThatOnlyTheDiskKnowsIsRemovedWithItsTarget() async throws {
    site.redirect("/a", to: "/b", 302, ["Cache-Control": "max-age=60"])
    site.redirect("/b", to: "/old.png", 302, ["Cache-Control": "max-age=60"])
    let first = pipeline()
    _ = try await shown(first)
    await first.finishWriting()
    let second = pipeline()
    #expect(await second.contains(request("/old.png")) == .disk)
    let third = pipeline()
    third.remove(request())
    await third.finishWriting()
    #expect(await third.contains(request("/old.png")) == [])
    site.fail("/old.png", 503)
    await #expect(throws: ImageError.self) { try await shown(third) }
  }
}
