import Ikran
import IkranCodecs
import IkranPixels
import IkranSystem

extension Option {
  /// `--filter`, which may be repeated.
  static func filters(_ path: any WritableKeyPath<Root, [Filter]> & Sendable) -> Option {
    .many("filter", path, "FILTER", .filter, "a filter, see ikran filters; may be repeated")
  }
}

extension Reading where Value == Filter {
  /// The grammar of `ikran filters`; pictures and tables are read from their paths.
  static var filter: Reading {
    Reading { (word) throws(UsageError) in
      do throws(FilterError) {
        let filter = try Filter(parsing: word, opening: FilterFile.read)
        // Reports what only planning can find.
        _ = try Style.original.filtered([filter]).checked()
        return filter
      } catch {
        throw UsageError(reason: hint(for: word) ?? Failure(error).sentence)
      }
    }
  }

  /// A name that is nearly that of a filter says more than the list of them.
  private static func hint(for word: String) -> String? {
    let name = word.prefix { $0 != ":" }
    let names = FilterDescription.all.map(\.name)
    guard !names.contains(String(name)), let meant = closest(to: String(name), among: names) else {
      return nil
    }
    return "there is no filter “\(name)”; did you mean \(meant)?"
  }
}

extension Style {
  /// The style, when its filters make sense.
  fileprivate func checked() throws(FilterError) -> Style {
    do throws(StyleError) { _ = try fitting(scale: 1) } catch {
      if case .filter(let error) = error { throw error }
    }
    return self
  }
}

extension FilterFile {
  /// Reads a picture or a `.cube` file from a path.
  fileprivate static func read(
    _ path: String,
    _ file: FilterFile
  ) throws(FilterError) -> FilterFile.Content? {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try Files.read(path, maximumBytes: DecodeLimits().maximumBytes)
    } catch { throw .invalidTable(reason: Failure(error).sentence) }
    guard file == .picture else { return .bytes(bytes) }
    do throws(DecodeError) {
      return .picture(try CodecList.isolatedStandard.decode(bytes.span).bitmap)
    } catch { throw .invalidTable(reason: "“\(path)”: \(Failure(error).sentence)") }
  }
}
