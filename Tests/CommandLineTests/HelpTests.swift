import Testing

@testable import ikran_cli

/// What `--help` prints, word for word: a change here is a change for users.
@Suite("Help", .timeLimit(.minutes(10)))
struct HelpTests {
  @Test(arguments: snapshots)
  func everyCommandExplainsItself(name: String, text: String) throws {
    #expect(try CommandList.command(name).help == text)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test func everyCommandHasASnapshot() {
    #expect(snapshots.map(\.name) == CommandList.names)
  }

  @Test func theProgramExplainsItself() {
    #expect(
      CommandList.help == """
        usage: ikran COMMAND [OPTION]... [ARGUMENT]

        Gets an image from a URL, styled, and the second time from a cache.

          get      Loads one image, styled, and writes it.
          warm     Downloads the images of a list into the cache.
          sheet    Draws a contact sheet of a list.
          inspect  Prints what an image's header says, without decoding it.
          decode   Decodes a file and writes its pixels.
          cache    Tells what the cache holds, checks, trims or empties it; tries others.
          table    Makes, fills, reads and checks an image table.
          styles   Prints the styles and what may be said in each.
          origin   Serves pictures over HTTP, for demos and tests.

        ikran COMMAND --help (or ikran help COMMAND) tells more; ikran --version prints the version.

        Data goes to standard output, words to standard error; - is standard input or output.
        Exit codes: 0 done, 1 the job failed (one sentence says why), 2 wrong usage,
        130 interrupted.
        """
    )
  }

  @Test(arguments: [["get", "--help"], ["help", "get"], ["get", "--style", "original", "-h"]])
  func helpIsDataAndNoFailure(words: [String]) async throws {
    let ending = try await Program().run(words)
    #expect(ending.code == 0)
    #expect(ending.errors.isEmpty)
    #expect(ending.text == GetCommand.help + "\n")
  }

  @Test(arguments: [["--help"], ["-h"], ["help"]])
  func theProgramsHelpIsDataAndNoFailure(words: [String]) async throws {
    let ending = try await Program().run(words)
    #expect(ending.code == 0)
    #expect(ending.text == CommandList.help + "\n")
  }

  @Test func theVersionIsPrinted() async throws {
    let ending = try await Program().run("--version")
    #expect(ending.text == "ikran 0.1.0\n")
  }

  @Test func everyStyleInTheListIsUnderstood() async throws {
    let ending = try await Program().run("styles")
    #expect(ending.code == 0)
    for name in ["original", "rect", "rounded", "circle", "fit", "fill"] {
      #expect(ending.text.contains("\n\(name)") || ending.text.hasPrefix(name))
    }
  }
}

private let snapshots: [(name: String, text: String)] = [
  (
    "get",
    """
    usage: ikran get [OPTION]... URL|FILE|-

    Loads one image, styled, and writes it.

          --style STYLE           how it looks, see ikran styles (default: original)
          --scale N               pixels per point of the style (default: 1)
      -o, --output PATH           writes the image there (default: -, standard output)
          --format png|jpeg|webp|rgba
                                  what to write (default: as PATH's extension says,
                                  png without one); rgba has no header
          --offline               asks only the caches, never the network
          --refresh               asks the origin, however new the cached image is
          --header 'NAME: VALUE'  a field of the request; may be repeated
          --timeout SECONDS       the longest each transfer may take; a redirect begins
                                  another (default: 60)
          --deadline SECONDS      the longest everything may take, retries and the waits
                                  between them included (default: none)
          --json                  prints facts as JSON; the image goes to -o only
          --cache DIR             the cache's folder (default: $XDG_CACHE_HOME/ikran,
                                  else ~/.cache/ikran)
          --no-cache              reads and writes no cache
          --help                  this text

    JSON: url, source ("memory", "table", "disk", "network", "file" or "data"), width, height,
    frames, bytes (of the file it was made from; 0 from a table, which needs none), milliseconds
    (from request to image), key.
    """
  ),
  (
    "warm",
    """
    usage: ikran warm [OPTION]... LIST|-

    Downloads the images of a list into the cache.

          --style STYLE    makes every image in it; may be repeated
          --concurrency N  downloads at once (default: 6)
          --json           prints the report as JSON
          --cache DIR      the cache's folder (default: $XDG_CACHE_HOME/ikran,
                           else ~/.cache/ikran)
          --no-cache       reads and writes no cache
          --help           this text

    The list has one URL or file a line; blank lines and lines that start with # are passed by,
    and so are repetitions. Every file is decoded, at least to fit:64x64, so that what is no
    image counts as failed. The exit code is 1 when anything failed.

    JSON: requested, downloaded, cached, failed, bytes (downloaded), milliseconds, decoded,
    styled, sources (images by origin: memory, table, disk, network, file, data),
    peakMemoryBytes.
    """
  ),
  (
    "sheet",
    """
    usage: ikran sheet [OPTION]... LIST|-

    Draws a contact sheet of a list.

          --style STYLE    of each image (default: circle:96)
          --columns N      images in a row (default: about a square)
      -o, --output PATH    writes the image there (required)
          --concurrency N  downloads at once (default: 6)
          --json           prints the report as JSON
          --cache DIR      the cache's folder (default: $XDG_CACHE_HOME/ikran,
                           else ~/.cache/ikran)
          --no-cache       reads and writes no cache
          --help           this text

    PATH's extension says what is written: .png, .jpg, .jpeg, .webp or .rgba, PNG without one.
    An image that fails is drawn as a cross and reported on standard error; the exit code is 1 when
    all failed. The list and the JSON are those of ikran warm.
    """
  ),
  (
    "inspect",
    """
    usage: ikran inspect [OPTION]... FILE|URL|-

    Prints what an image's header says, without decoding it.

          --header 'NAME: VALUE'  a field of the request; may be repeated
          --timeout SECONDS       the longest each transfer may take; a redirect begins
                                  another (default: 60)
          --deadline SECONDS      the longest everything may take, retries and the waits
                                  between them included (default: none)
          --json                  prints JSON
          --cache DIR             the cache's folder (default: $XDG_CACHE_HOME/ikran,
                                  else ~/.cache/ikran)
          --no-cache              reads and writes no cache
          --help                  this text

    Prints format, width and height (as stored, before the orientation turns them), frames,
    durations (milliseconds a frame, none for stills), loops (0 is for ever, none for stills),
    orientation (1…8, as EXIF counts), alpha, bits (of a channel), icc (has a colour profile)
    and animated. What the cache has of a URL is used, and revalidated when it is stale or without
    a lifetime, as by ikran get. Otherwise a download ends as soon as the header has arrived, and
    is not stored.
    """
  ),
  (
    "decode",
    """
    usage: ikran decode [OPTION]... FILE|-

    Decodes a file and writes its pixels.

          --frame N               which frame, from 0; only 0 for now
          --style STYLE           how it looks, see ikran styles (default: original)
      -o, --output PATH           writes the image there (default: -, standard output)
          --format png|jpeg|webp|rgba
                                  what to write (default: as PATH's extension says,
                                  png without one); rgba has no header
          --max-pixels N          refuses larger images (default: 100000000)
          --help                  this text

    rgba is straight (not premultiplied) 8-bit RGBA, upright, sRGB, top row first, no header.
    """
  ),
  (
    "cache",
    """
    usage: ikran cache [OPTION]... stat|verify|trim|clear|record|simulate [TRACE] [COMMAND]...

    Tells what the cache holds, checks, trims or empties it; tries others.

          --cache DIR          the cache's folder (default: $XDG_CACHE_HOME/ikran,
                               else ~/.cache/ikran)
          --limit BYTES        for trim, of files and partial bodies
                               (default: 1073741824)
          --table-limit BYTES  for trim, of all image tables together
                               (default: 536870912)
          --policy NAME        for simulate: fifo, lru, slru, sieve, s3fifo, tinylfu,
                               sized (Ikran's own) or belady (a bound);
                               may be repeated (default: all)
          --size BYTES         for simulate; may be repeated (default: 33554432,
                               134217728 and 536870912)
          --json               prints JSON
          --help               this text

    stat    what it holds now
    verify  reads every entry and compares it with its checksum; damaged entries are dropped,
            and the exit code is 1 when there were any
    trim    removes partial bodies, oldest first, then the entries longest unused, until the
            rest keeps the limits
    clear   removes every entry

    record TRACE [--] COMMAND  runs the command, which writes down every look-up in memory;
                               the exit code is the command's
    simulate TRACE             plays what was recorded against policies and sizes of a cache
                               in memory: the share of look-ups found, and of bytes

    The files as downloaded are in a disk cache, what arrived of transfers that broke off in
    partial bodies, styled images in image tables, one for each size; see ikran table for a
    single one.
    """
  ),
  (
    "table",
    """
    usage: ikran table [OPTION]... create|put|get|list|stat|verify|compact TABLE [ID] [FILE]

    Makes, fills, reads and checks an image table.

          --size WxH              create: pixels of every image
          --pixels FORMAT         create: bgra, bgrx, bgr, bgr555 or gray
                                  (default: bgra)
          --count N               create: the most images (default: 10000)
          --limit BYTES           create: the most bytes (default: none)
          --family NAME           create: tables that are filled together
          --version V             put: the version stored (default: that of the
                                  file's bytes); get: the only one wanted
          --style STYLE           put: how it looks (default: fills the size)
      -o, --output PATH           writes the image there (default: -, standard output)
          --format png|jpeg|webp|rgba
                                  what to write (default: as PATH's extension says,
                                  png without one); rgba has no header
          --json                  prints JSON; get: the image goes to -o only
          --help                  this text

    create TABLE --size WxH  makes an empty table; TABLE ends in .table
    put TABLE ID FILE        stores an image under ID, in place of an older one; FILE may be a
                             URL or -
    get TABLE ID             writes the image stored under ID
    list TABLE               every entry, the one used last first; with --json one a line
    stat TABLE               what it is and holds
    verify TABLE             compares every image with its checksum; damaged ones are dropped,
                             and the exit code is 1 when there were any
    compact TABLE            gives unused room back

    IDs and versions are 32 hexadecimal digits (dashes are passed by), such as list prints; any
    other text stands for its hash. The key in the JSON of ikran get is the ID in the cache's
    own tables.
    """
  ),
  (
    "styles",
    """
    usage: ikran styles [OPTION]...

    Prints the styles and what may be said in each.

          --help  this text
    """
  ),
  (
    "origin",
    """
    usage: ikran origin [OPTION]...

    Serves pictures over HTTP, for demos and tests.

          --port P           listens there (default: 0, any free port)
          --root DIR         serves the files of this folder,
          --count N          or this many portraits (default: 100)
          --delay MS         holds every answer back
          --fail-rate P      the share of answers that are 503
          --drop-rate P      the share of connections that break
          --truncate-rate P  the share of bodies cut off
          --reset-rate P     the share of connections reset
          --throttle-rate P  the share of answers 429
          --bandwidth N      bytes/s a connection
          --seed N           decides who is hit (default: 1)
          --no-range         ignores Range and sends whole bodies
          --etag             sends an ETag
          --max-age S        sends Cache-Control: max-age
          --help             this text

    Prints its base URL as the first line and serves until it is interrupted. /avatars/0.jpg,
    /avatars/1.png, … are the portraits, /list.txt their URLs, /stats the number of requests.
    /chaos/avatars/0.jpg?fail=2 and the like misbehave on demand: fail, fault, retry-after,
    delay, drip, change, etag, modified, ranges, length and header are the parameters.
    """
  ),
]
