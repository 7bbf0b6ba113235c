/// Whether a file's name says that it is a picture.
package func isPictureName(_ name: String) -> Bool {
  guard let dot = name.lastIndex(of: ".") else { return false }
  return pictureEndings.contains(name[name.index(after: dot)...].lowercased())
}

private let pictureEndings: Set<String> = [
  "jpg", "jpeg", "jpe", "jfif", "png", "apng", "webp", "gif", "avif", "heic", "heif", "jxl",
  "svg", "svgz", "tif", "tiff", "bmp", "ico", "cur", "qoi", "pbm", "pgm", "ppm", "pam", "pnm",
  "cr2", "nef", "dng", "arw", "raf",
]
