extension OptionRule {
  /// The options of how a result is written.
  static let output: [String: OptionRule] = [
    "strip_metadata sm": .flag { $0.output.stripsMetadata = $1 },
    "keep_copyright kcr": .flag { $0.output.keepsCopyright = $1 },
    "strip_color_profile scp": .flag { $0.output.stripsColorProfile = $1 },
    "preserve_hdr ph": .custom { (_, arguments) throws(ServiceError) in
      if try arguments.flag() {
        throw .unsupportedOption(name: arguments.name, reason: "is not supported by this service")
      }
    },
    "enforce_thumbnail eth": .flag { $0.framing.usesThumbnail = $1 },
    "quality q": .integer(0...100) { $0.output.quality = $1 },
    "format_quality fq": .custom { (reader, arguments) throws(ServiceError) in
      repeat {
        let format = try arguments.format()
        let quality = try arguments.integer(in: 0...100)
        reader.options.output.formatQuality[format] = quality == 0 ? nil : quality
      } while !arguments.isAtEnd
    },
    "max_bytes mb": .integer(OptionArguments.byteCounts) { $0.output.maximumBytes = $1 },
    "autoquality aq": .custom(readAutoquality),
    "format f ext": .custom { (reader, arguments) throws(ServiceError) in
      reader.options.output.format = try arguments.format()
    },
  ]

  /// The options of how a response looks, and presets.
  static let delivery: [String: OptionRule] = [
    "skip_processing skp": .custom { (reader, arguments) throws(ServiceError) in
      repeat {
        reader.options.delivery.skippedFormats.insert(try arguments.format())
      } while !arguments.isAtEnd
    },
    "raw": .flag { $0.delivery.isRaw = $1 },
    "cachebuster cb": .custom { (reader, arguments) throws(ServiceError) in
      _ = try arguments.required()
      reader.options.delivery.asksOrigin = true
    },
    "expires exp": .custom(readExpiry),
    "filename fn": .custom(readFilename),
    "return_attachment att": .flag { $0.delivery.isAttachment = $1 },
    "preset pr": .custom { (reader, arguments) throws(ServiceError) in
      repeat { try reader.readPreset(arguments.required().text) } while !arguments.isAtEnd
    },
  ]

  /// The options that lift limits.
  static let limits: [String: OptionRule] = [
    "max_src_resolution msr": .security { (reader, arguments) throws(ServiceError) in
      reader.options.limits.sourcePixels = try arguments.megapixels()
    },
    "max_src_file_size msfs": .security { (reader, arguments) throws(ServiceError) in
      let count = try arguments.integer(in: OptionArguments.byteCounts)
      reader.options.limits.sourceBytes = count
    },
    "max_animation_frames maf": .security { (reader, arguments) throws(ServiceError) in
      reader.options.limits.animationFrames = try arguments.integer(in: 1...1_000_000_000)
    },
    "max_animation_frame_resolution mafr": .security { (reader, arguments) throws(ServiceError) in
      reader.options.limits.animationFramePixels = try arguments.megapixels()
    },
    "max_result_dimension mrd": .security { (reader, arguments) throws(ServiceError) in
      reader.options.limits.resultSide = try arguments.integer()
    },
  ]

  private static func readAutoquality(
    _ reader: inout OptionReader,
    _ arguments: inout OptionArguments
  ) throws(ServiceError) {
    var wanted = reader.options.output.autoquality
    if let text = arguments.filled() {
      if text.elementsEqual("ml".utf8) {
        throw .unsupportedOption(name: arguments.name, reason: "does not have the method ml")
      }
      guard let method = Autoquality.Method(rawValue: text.text) else {
        throw arguments.fault(text, expected: "none, size or dssim")
      }
      wanted.method = method
    }
    wanted.target = try arguments.optionalNumber(in: 0...1e15) ?? wanted.target
    wanted.minimum = try arguments.optionalInteger(in: 0...100) ?? wanted.minimum
    wanted.maximum = try arguments.optionalInteger(in: 0...100) ?? wanted.maximum
    wanted.allowedError = try arguments.optionalNumber(in: 0...1) ?? wanted.allowedError
    if let expected = wanted.expectedTarget {
      throw arguments.fault("has the target \(wanted.target) where \(expected) is expected")
    }
    guard wanted.maximum == 0 || wanted.minimum <= wanted.maximum else {
      throw arguments.fault("has a lowest quality that is over the highest")
    }
    reader.options.output.autoquality = wanted
  }

  private static func readExpiry(
    _ reader: inout OptionReader,
    _ arguments: inout OptionArguments
  ) throws(ServiceError) {
    let text = try arguments.required()
    guard let time = Int64(text.text) else {
      throw arguments.fault(text, expected: "a time in seconds since 1970")
    }
    if time > 0, time < reader.now { throw .expired(at: time) }
    reader.options.delivery.expires = time > 0 ? time : nil
  }

  private static func readFilename(
    _ reader: inout OptionReader,
    _ arguments: inout OptionArguments
  ) throws(ServiceError) {
    var name = try arguments.required()
    if arguments.optionalFlag() == true {
      guard let decoded = Base64.url.decoded(name.droppingPadding) else {
        throw arguments.fault(name, expected: "base64url")
      }
      name = decoded[...]
    }
    // Bytes that would end a field, or its quotes, are no part of a name.
    let safe = name.filter { $0 >= 0x20 && $0 != 0x7F }
    reader.options.delivery.filename = safe.isEmpty ? nil : safe[...].text
  }
}
