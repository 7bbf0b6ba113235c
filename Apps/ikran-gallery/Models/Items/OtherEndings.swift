/// Endings of names that say that a file is no picture.
enum OtherEndings {
  /// Whether a name has one of them: the file need not be opened, and folders may have very many.
  static func has(_ name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return all.contains(name[name.index(after: dot)...].lowercased())
  }

  private static let all: Set<String> = [
    // Text, and what is written in it.
    "txt", "md", "log", "csv", "tsv", "json", "xml", "yaml", "yml", "toml", "ini", "conf", "cfg",
    "html", "htm", "css", "js", "ts", "py", "sh", "c", "h", "cc", "cpp", "hpp", "m", "rs", "go",
    "java", "kt", "rb", "php", "pl", "swift", "sql", "tex", "xmp", "srt", "vtt", "po", "diff",
    // Documents and archives.
    "pdf", "ps", "epub", "doc", "docx", "odt", "rtf", "xls", "xlsx", "ods", "ppt", "pptx", "odp",
    "zip", "gz", "bz2", "xz", "zst", "tar", "tgz", "7z", "rar", "deb", "rpm", "iso", "jar",
    // Films and sound.
    "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "wmv", "3gp", "mts", "mp3", "m4a",
    "aac", "ogg", "oga", "opus", "flac", "wav", "mid",
    // What programs are and make.
    "exe", "dll", "so", "o", "a", "pyc", "class", "db", "sqlite", "ttf", "otf",
    "woff", "woff2", "torrent",
  ]
}
