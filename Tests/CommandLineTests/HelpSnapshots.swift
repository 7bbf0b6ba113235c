/// What each command's `--help` prints.
let snapshots: [(name: String, text: String)] = [
  (
    "get",
    """
    usage: ikran get [OPTION]... URL|FILE|- [URL|FILE|FOLDER]...

    Loads one image, styled, and writes it; or many.

          --style STYLE           the style, see ikran styles (default: original)
          --region X,Y,W,H        only this rectangle of the upright picture,
                                  in its pixels; no more of the file is decoded
          --size WxH              the region's size in points (default: its own)
          --isolated              takes no colour from around the region, as for one
                                  cell of a sprite
          --filter FILTER         a filter, see ikran filters; may be repeated
          --scale N               pixels per point of the style (default: 1)
      -o, --output PATH           writes the image there (default: -, standard output)
          --format png|jpeg|webp|gif|avif|jxl|rgba
                                  the format (default: that of PATH's extension,
                                  else png); rgba has no header
          --quality N             of jpeg, webp, avif and jxl, 1 to 100 (default:
                                  85, 80, 65 and 85)
          --lossless              loses nothing, like PNG
          --metadata none|copyright|keep
                                  keeps the file's EXIF and XMP, or artist and copyright
                                  alone (default: none; jpeg, png and webp have a place)
          --strip                 writes no metadata, like --metadata none
          --offline               uses only the caches, never the network
          --refresh               revalidates with the origin even when fresh
          --stop-early            ends a download when what has arrived is enough
          --max-pixels N          refuses what takes memory for more pixels
                                  (default: 100000000)
          --header 'NAME: VALUE'  a field of the request; may be repeated
          --timeout SECONDS       the longest each transfer may take; a redirect starts
                                  another (default: 60)
          --deadline SECONDS      the longest everything may take, retries and the waits
                                  between them included (default: none)
          --json                  prints facts as JSON; the image goes to -o only
      -0, --null                  names of a list on standard input end in NUL
          --cache DIR             the cache's folder (default: $XDG_CACHE_HOME/ikran,
                                  else ~/.cache/ikran)
          --no-cache              reads and writes no cache
          --help                  this text

    An animated image keeps its frames, in any style, where the format has frames: png, webp, gif,
    jxl.

    JSON: url (without user, password and query; of a data: URL the beginning), source ("memory",
    "table", "disk", "network", "file" or "data"), width, height, frames, bytes (of the decoded
    file; 0 from a table, which needs none), receivedBytes (over the network, with heads: fewer
    where a transfer was resumed), savedBytes (of the file, not downloaded), milliseconds (from
    request to image), key, notes (what was wrong with the file all the same).

    With --stop-early a thumbnail of a progressive JPEG takes the scans that it needs, and has the same
    pixels. What arrived is kept: a larger style downloads the rest.

    Many images need names: with -o 'small/{name}.{format}' there may be any number of files,
    folders and URLs. {name} is the source's without its ending, {index} counts from 1, and
    {format} is the ending of --format. Folders in that path are made. A - is then a list on
    standard input, one name a line. JSON is a line for each image, with output, or with url and
    error. A line on standard error says what failed, and the exit code is 1 then.
    """
  ),
  (
    "show",
    """
    usage: ikran show [OPTION]... URL|FILE|-

    Draws an image in the terminal, and plays an animated one.

          --style STYLE           the style, see ikran styles (default: original)
          --filter FILTER         a filter, see ikran filters; may be repeated
          --mode auto|kitty|sixel|cells
                                  pixels by kitty's protocol or as sixels, or coloured
                                  characters (default: auto, as the terminal can)
          --loops N               how often an animated image plays, 0 for ever
                                  (default: as its file says)
          --header 'NAME: VALUE'  a field of the request; may be repeated
          --timeout SECONDS       the longest each transfer may take; a redirect starts
                                  another (default: 60)
          --deadline SECONDS      the longest everything may take, retries and the waits
                                  between them included (default: none)
          --cache DIR             the cache's folder (default: $XDG_CACHE_HOME/ikran,
                                  else ~/.cache/ikran)
          --no-cache              reads and writes no cache
          --help                  this text

    An image is as large as the terminal has room for, but has at most its own pixels, or a column
    of characters for each. Of a file that is cut off it draws what is there, and says so. An
    animated image plays until any key, Ctrl-C or its end; then the terminal is as it was. In a pipe
    it is 80 columns wide, and only the first frame is drawn; with NO_COLOR it is drawn without
    colours.
    """
  ),
  (
    "warm",
    """
    usage: ikran warm [OPTION]... LIST|-

    Downloads the images of a list into the cache.

          --style STYLE    styles every image this way; may be repeated
          --filter FILTER  a filter, see ikran filters; may be repeated
          --concurrency N  downloads at once (default: 6)
          --stop-early     ends a download when what has arrived is enough
          --json           prints the report as JSON
          --cache DIR      the cache's folder (default: $XDG_CACHE_HOME/ikran,
                           else ~/.cache/ikran)
          --no-cache       reads and writes no cache
          --help           this text

    The list has one URL or file per line; blank lines, lines that start with # and repeated
    ones are skipped. Every file is decoded, at least to fit:64x64,shrink, so a file that is no
    image counts as failed. The exit code is 1 when anything failed.

    JSON: requested, downloaded, cached, failed, bytes (downloaded), savedBytes (of files, not
    downloaded), milliseconds, decoded, styled, sources (images by origin: memory, table, disk,
    network, file, data), peakMemoryBytes.

    With --stop-early a thumbnail of a progressive JPEG takes the scans that it needs, and has the same
    pixels. What arrived is kept: a larger style downloads the rest.
    """
  ),
  (
    "sheet",
    """
    usage: ikran sheet [OPTION]... LIST|-

    Draws a contact sheet of a list.

          --style STYLE    the style of each image (default: circle:96)
          --filter FILTER  a filter, see ikran filters; may be repeated
          --columns N      images per row (default: about a square)
      -o, --output PATH    writes the image there (required)
          --concurrency N  downloads at once (default: 6)
          --stop-early     ends a download when what has arrived is enough
          --json           prints the report as JSON
          --cache DIR      the cache's folder (default: $XDG_CACHE_HOME/ikran,
                           else ~/.cache/ikran)
          --no-cache       reads and writes no cache
          --help           this text

    PATH's extension decides the format: .png, .jpg, .jpeg, .webp, .gif, .avif, .jxl or
    .rgba, PNG without one. As .gif, .webp or .jxl the animated images on it move.
    An image that fails is drawn as a cross and reported on standard error; the exit code is 1 when
    all failed. The list and the JSON are the same as for ikran warm.

    With --stop-early a thumbnail of a progressive JPEG takes the scans that it needs, and has the same
    pixels. What arrived is kept: a larger style downloads the rest.
    """
  ),
  (
    "inspect",
    """
    usage: ikran inspect [OPTION]... FILE|URL|-

    Prints what an image's header says, without decoding it.

          --header 'NAME: VALUE'  a field of the request; may be repeated
          --timeout SECONDS       the longest each transfer may take; a redirect starts
                                  another (default: 60)
          --deadline SECONDS      the longest everything may take, retries and the waits
                                  between them included (default: none)
          --json                  prints JSON
          --cache DIR             the cache's folder (default: $XDG_CACHE_HOME/ikran,
                                  else ~/.cache/ikran)
          --no-cache              reads and writes no cache
          --help                  this text

    Prints format, width and height (as stored, before the orientation is applied), frames,
    durations (milliseconds per frame, none for stills), loops (0 is forever, none for stills),
    orientation (1…8, as in EXIF), alpha, bits (per channel), icc (has a colour profile),
    animated, and what EXIF, XMP and the colour profile say, - or null without them: of EXIF the
    camera, when and how the picture was taken, whether it has a place and a thumbnail, artist
    and copyright; of XMP its bytes, creators and rights.

    A cached file of the URL is used, and revalidated when it is stale, as by ikran get. Otherwise
    the download ends as soon as the header has arrived, and nothing is stored: PNG metadata
    behind the pixels is not waited for.
    """
  ),
  (
    "decode",
    """
    usage: ikran decode [OPTION]... FILE|-

    Decodes a file and writes its pixels.

          --frame N               which frame of an animated image, or page, from 0
          --style STYLE           the style, see ikran styles (default: original)
          --region X,Y,W,H        only this rectangle of the upright picture,
                                  in its pixels; no more of the file is decoded
          --size WxH              the region's size in the result (default: its own)
          --isolated              takes no colour from around the region, as for one
                                  cell of a sprite
          --filter FILTER         a filter, see ikran filters; may be repeated
      -o, --output PATH           writes the image there (default: -, standard output)
          --format png|jpeg|webp|gif|avif|jxl|rgba
                                  the format (default: that of PATH's extension,
                                  else png); rgba has no header
          --quality N             of jpeg, webp, avif and jxl, 1 to 100 (default:
                                  85, 80, 65 and 85)
          --lossless              loses nothing, like PNG
          --metadata none|copyright|keep
                                  keeps the file's EXIF and XMP, or artist and copyright
                                  alone (default: none; jpeg, png and webp have a place)
          --max-pixels N          refuses what takes memory for more pixels
                                  (default: 100000000)
          --help                  this text

    rgba is straight (not premultiplied) 8-bit RGBA, upright, sRGB, top row first, no header.
    """
  ),
  (
    "frames",
    """
    usage: ikran frames [OPTION]... FILE|-

    Lists or writes the composed frames of an animated image, or its pages.

      -o, --output DIR       writes each frame there: 0000.png …
          --format png|rgba  the format of the frames (default: png)
          --strip PATH       writes one picture of all frames, each above its
                             milliseconds
          --json             prints JSON
          --help             this text

    JSON: width, height, loops (0 is forever, none for stills), frames: index, milliseconds, and
    key: whether decoding can begin there. A still is one frame that is shown for 0 milliseconds,
    and so is each page of TIFF and each picture of a HEIC collection; width and height are those
    of the first one. Of a file that breaks off, the frames before that are listed and written;
    then the command fails.
    """
  ),
  (
    "cache",
    """
    usage: ikran cache [OPTION]... stat|verify|trim|clear|remove|record|simulate [NAME] [COMMAND]...

    Reports on the cache, checks, trims or empties it; simulates others.

          --cache DIR          the cache's folder (default: $XDG_CACHE_HOME/ikran,
                               else ~/.cache/ikran)
          --limit BYTES        for trim, of the whole folder
                               (default: 1073741824)
          --table-limit BYTES  for trim, of all image tables, apart from --limit
                               (default: a quarter of --limit, as a part of it)
          --policy NAME        for simulate: fifo, lru, slru, sieve, s3fifo, tinylfu,
                               sized (Ikran's own) or belady (a bound);
                               may be repeated (default: all)
          --size BYTES         for simulate; may be repeated (default: 33554432,
                               134217728 and 536870912)
          --json               prints JSON
          --help               this text

    stat    prints what it holds
    verify  reads every entry and compares it with its checksum; damaged entries are dropped,
            and the exit code is 1 when there were any
    trim    removes partial bodies, oldest first, then the least recently used entries, down to
            the limits
    clear   removes every entry
    remove  removes the images of URLs, the words after it, in every style; the exit code is 1
            when one is in no cache

    record TRACE [--] COMMAND  runs the command, in which ikran records its look-ups in memory;
                               the exit code is the command's
    simulate TRACE             replays a trace with other policies and sizes of the memory
                               cache, and prints the hit ratios of look-ups and of bytes

    The disk cache holds downloaded files, partial bodies hold the bytes of interrupted
    transfers, and image tables hold styled images, one table for each size; see ikran table for
    a single one. Of the folder of ikran serve each word is for its results and its sources.
    """
  ),
  (
    "table",
    """
    usage: ikran table [OPTION]... create|put|get|list|stat|verify|compact TABLE [ID] [FILE]

    Creates, fills, reads and checks an image table.

          --size WxH              create: pixels of every image
          --pixels FORMAT         create: bgra, bgrx, bgr, bgr555 or gray
                                  (default: bgra)
          --count N               create: the most images (default: 10000)
          --limit BYTES           create: the most bytes (default: none)
          --family NAME           create: the group of tables that are filled together
          --version V             put: the version stored (default: that of the
                                  file's bytes); get: the only one wanted
          --style STYLE           put: the style (default: fills the size)
      -o, --output PATH           writes the image there (default: -, standard output)
          --format png|jpeg|webp|gif|avif|jxl|rgba
                                  the format (default: that of PATH's extension,
                                  else png); rgba has no header
          --json                  prints JSON; get: the image goes to -o only
          --help                  this text

    create TABLE --size WxH  makes an empty table; TABLE ends in .table
    put TABLE ID FILE        stores an image under ID, in place of an older one; FILE may be a
                             URL or -
    get TABLE ID             writes the image stored under ID
    list TABLE               prints every entry, last used first (with room for 128 and
                             more: roughly); with --json one per line
    stat TABLE               prints its format and what it holds
    verify TABLE             compares every image with its checksum; damaged ones are dropped,
                             and the exit code is 1 when there were any
    compact TABLE            frees unused space

    IDs and versions are 32 hexadecimal digits, as printed by list (dashes are ignored); any
    other text is replaced by its hash. The key in the JSON of ikran get is the ID in the cache's
    tables.
    """
  ),
  (
    "styles",
    """
    usage: ikran styles [OPTION]...

    Prints the styles and their parameters.

          --help  this text
    """
  ),
  (
    "filters",
    """
    usage: ikran filters [OPTION]...

    Prints the filters and their parameters.

          --json         prints them as JSON
          --sheet PHOTO  draws this picture with every filter
      -o, --output PATH  writes the sheet there
          --help         this text

    A filter is NAME, or NAME:VALUE for its first parameter, or NAME:KEY=VALUE,KEY=VALUE. Numbers
    out of range count as the nearest in it. Lengths are points, multiplied by --scale.
    JSON: an array of name, summary, example and parameters (name, kind, minimum, maximum, choices,
    default).
    """
  ),
  (
    "origin",
    """
    usage: ikran origin [OPTION]...

    Serves pictures over HTTP, for demos and tests.

          --port P           the port (default: 0, any free port)
          --root DIR         serves the files of this folder,
          --count N          or this many portraits (default: 100)
          --delay MS         delays every response
          --fail-rate P      the share of 503 responses
          --drop-rate P      the share of closed connections
          --truncate-rate P  the share of truncated bodies
          --reset-rate P     the share of reset connections
          --throttle-rate P  the share of 429 responses
          --bandwidth N      bytes/s of a connection
          --seed N           the seed of the faults (default: 1)
          --no-range         ignores Range and sends whole bodies
          --etag             sends an ETag
          --max-age S        sends Cache-Control: max-age
          --help             this text

    Prints its base URL as the first line and serves until it is interrupted. /avatars/0.jpg,
    /avatars/1.png, … are the portraits, /list.txt their URLs, /stats the number of requests.
    /chaos/avatars/0.jpg?fail=2 and the like produce faults on demand; the parameters are fail,
    fault, retry-after, delay, drip, change, etag, modified, ranges, length and header.
    """
  ),
  (
    "serve",
    """
    usage: ikran serve [OPTION]...

    Serves resized images over HTTP; imgproxy's URLs work.

          --bind ADDRESS      listens there (default: IKRAN_BIND, or :8080)
          --cache DIR         keeps sources and results in this folder
          --cache-size BYTES  of both together (default: IKRAN_CACHE_SIZE, or 1073741824)
          --keypath FILE      reads the keys from this file, one in each line
          --saltpath FILE     reads the salts from this file, in that order
          --unsigned          serves without IKRAN_KEY and IKRAN_SALT, to anyone
          --quiet             prints no line for each request
          --sign PATH         prints this path with its signature, and ends
          --help              this text

    Reads its settings from variables: IKRAN_KEY and IKRAN_SALT (hexadecimal), and all others of
    imgproxy's open-source edition, with IKRAN_ or IMGPROXY_ before their names. What it does not
    have is refused at the start.

    Prints its base URL as the first line and serves until it is interrupted; then it lets the
    requests that are open end. Each request is a line on standard error (IKRAN_LOG_FORMAT).

    Keys and salts in files are read again on SIGHUP, and count from the next request on. A file
    that cannot be read, or has a mistake, changes nothing.
    """
  ),
]
