import IkranCodecs
import IkranPixels
import Testing

@testable import IkranService

/// An option in one of its spellings, and what it changes.
struct OptionCase: Sendable, CustomTestStringConvertible {
  let names: [String]
  let arguments: String
  let change: @Sendable (inout ProcessingOptions) -> Void

  init(
    _ names: String,
    _ arguments: String,
    _ change: @escaping @Sendable (inout ProcessingOptions) -> Void
  ) {
    self.names = names.split(separator: " ").map(String.init)
    self.arguments = arguments
    self.change = change
  }

  var testDescription: String { "\(names):\(arguments)" }
}

/// Each option in each spelling.
@Suite("Options")
struct OptionTests {
  private static let sizes = [
    OptionCase("resize rs", "fill:300:200") {
      ($0.resizing.kind, $0.resizing.width, $0.resizing.height) = (.fill, 300, 200)
    },
    OptionCase("resize rs", "force") { $0.resizing.kind = .force },
    OptionCase("resize rs", ":::1:1:nowe:3:-4.5") {
      $0.resizing.enlarges = true
      $0.framing.extends = .init(isOn: true, gravity: Gravity(kind: .northWest, x: 3, y: -4.5))
    },
    OptionCase("size s", "300") { $0.resizing.width = 300 },
    OptionCase("size s", ":200:t:true") {
      ($0.resizing.height, $0.resizing.enlarges) = (200, true)
      $0.framing.extends.isOn = true
    },
    OptionCase("resizing_type rt", "fill-down") { $0.resizing.kind = .fillDown },
    OptionCase("resizing_type rt", "auto") { $0.resizing.kind = .auto },
    OptionCase("width w", "300") { $0.resizing.width = 300 },
    OptionCase("height h", "+300") { $0.resizing.height = 300 },
    OptionCase("min-width mw", "30") { $0.resizing.minimumWidth = 30 },
    OptionCase("min-height mh", "30") { $0.resizing.minimumHeight = 30 },
    OptionCase("zoom z", "1.5") { $0.resizing.zoom = Zoom(x: 1.5, y: 1.5) },
    OptionCase("zoom z", "2:.5") { $0.resizing.zoom = Zoom(x: 2, y: 0.5) },
    OptionCase("dpr", "2e0") { $0.resizing.dpr = 2 },
    OptionCase("enlarge el", "1") { $0.resizing.enlarges = true },
    OptionCase("enlarge el", "yes") { _ in },
    OptionCase("enlarge el", "") { _ in },
    OptionCase("extend ex", "1") { $0.framing.extends.isOn = true },
    OptionCase("extend ex", "T:fp:0.25:1") {
      let gravity = Gravity(kind: .focusPoint, x: 0.25, y: 1)
      $0.framing.extends = .init(isOn: true, gravity: gravity)
    },
    OptionCase("extend_aspect_ratio extend_ar exar", "TRUE:so::8") {
      $0.framing.extendsAspect = .init(isOn: true, gravity: Gravity(kind: .south, y: 8))
    },
  ]

  private static let framing = [
    OptionCase("gravity g", "no") { $0.framing.gravity.kind = .north },
    OptionCase("gravity g", "ea:10") { $0.framing.gravity = Gravity(kind: .east, x: 10) },
    OptionCase("gravity g", "soea:-1:0.5") {
      $0.framing.gravity = Gravity(kind: .southEast, x: -1, y: 0.5)
    },
    OptionCase("gravity g", "sm") { $0.framing.gravity.kind = .smart },
    OptionCase("gravity g", "fp:0.2:0.3") {
      $0.framing.gravity = Gravity(kind: .focusPoint, x: 0.2, y: 0.3)
    },
    OptionCase("crop c", "0.5") { $0.framing.crop.width = 0.5 },
    OptionCase("crop c", "0:300:we:1:2") {
      $0.framing.crop = .init(width: 0, height: 300, gravity: Gravity(kind: .west, x: 1, y: 2))
    },
    OptionCase("crop c", "5:6:sm") {
      $0.framing.crop = .init(width: 5, height: 6, gravity: Gravity(kind: .smart))
    },
    OptionCase("trim t", "10") { $0.framing.trim = .init(threshold: 10) },
    OptionCase("trim t", "") { $0.framing.trim = nil },
    OptionCase("trim t", "7.5:F0a:1:t") {
      let color = Color(red: 255, green: 0, blue: 170)
      $0.framing.trim = .init(
        threshold: 7.5,
        color: color,
        isEqualHorizontally: true,
        isEqualVertically: true
      )
    },
    OptionCase("padding pd", "1") {
      $0.framing.padding = .init(top: 1, right: 1, bottom: 1, left: 1)
    },
    OptionCase("padding pd", "1:2") {
      $0.framing.padding = .init(top: 1, right: 2, bottom: 1, left: 2)
    },
    OptionCase("padding pd", ":2::4") {
      $0.framing.padding = .init(top: 0, right: 2, bottom: 0, left: 4)
    },
  ]

  private static let effects = [
    OptionCase("auto_rotate ar", "0") { $0.effects.turnsUpright = false },
    OptionCase("rotate rot", "270") { $0.effects.quarterTurns = 3 },
    OptionCase("rotate rot", "-90") { $0.effects.quarterTurns = 3 },
    OptionCase("rotate rot", "720") { _ in },
    OptionCase("flip fl", "1") { $0.effects.flip.horizontally = true },
    OptionCase("flip fl", ":1") { $0.effects.flip.vertically = true },
    OptionCase("background bg", "255:0:170") {
      $0.effects.background = Color(red: 255, green: 0, blue: 170)
    },
    OptionCase("background bg", "ff00AA") {
      $0.effects.background = Color(red: 255, green: 0, blue: 170)
    },
    OptionCase("background bg", "") { $0.effects.background = nil },
    OptionCase("blur bl", "0.7") { $0.effects.blur = 0.7 },
    OptionCase("sharpen sh", "2") { $0.effects.sharpen = 2 },
    OptionCase("pixelate pix", "8") { $0.effects.pixelate = 8 },
    OptionCase("watermark wm", "0.5") { $0.effects.watermark.opacity = 0.5 },
    OptionCase("watermark wm", "1:re:10:20:0.2") {
      $0.effects.watermark = .init(opacity: 1, position: nil, x: 10, y: 20, scale: 0.2)
    },
    OptionCase("watermark wm", "1:soea:::0") {
      $0.effects.watermark = .init(opacity: 1, position: .southEast)
    },
  ]

  private static let output = [
    OptionCase("strip_metadata sm", "0") { $0.output.stripsMetadata = false },
    OptionCase("keep_copyright kcr", "f") { $0.output.keepsCopyright = false },
    OptionCase("strip_color_profile scp", "false") { $0.output.stripsColorProfile = false },
    OptionCase("preserve_hdr ph", "0") { _ in },
    OptionCase("enforce_thumbnail eth", "1") { $0.framing.usesThumbnail = true },
    OptionCase("quality q", "70") { $0.output.quality = 70 },
    OptionCase("quality q", "0") { _ in },
    OptionCase("format_quality fq", "jpg:70:avif:40:png:0") {
      $0.output.formatQuality = [.jpeg: 70, .avif: 40]
    },
    OptionCase("max_bytes mb", "100000") { $0.output.maximumBytes = 100_000 },
    OptionCase("autoquality aq", "size:10240:10:80") {
      $0.output.autoquality = .init(method: .size, target: 10_240, minimum: 10, maximum: 80)
    },
    OptionCase("autoquality aq", "dssim::::0.01") {
      $0.output.autoquality = .init(method: .dssim, allowedError: 0.01)
    },
    OptionCase("autoquality aq", ":0.5") { $0.output.autoquality.target = 0.5 },
    OptionCase("format f ext", "jxl") { $0.output.format = .jpegXL },
    OptionCase("skip_processing skp", "png:svg") { $0.delivery.skippedFormats = [.png, .svg] },
    OptionCase("raw", "1") { $0.delivery.isRaw = true },
    OptionCase("cachebuster cb", "anything-%20") { $0.delivery.asksOrigin = true },
    OptionCase("expires exp", "1000") { $0.delivery.expires = 1000 },
    OptionCase("expires exp", "-5") { _ in },
    OptionCase("filename fn", "a%20b") { $0.delivery.filename = "a%20b" },
    OptionCase("filename fn", "w6kuYg==:1") { $0.delivery.filename = "é.b" },
    OptionCase("filename fn", "w6ku:0") { $0.delivery.filename = "w6ku" },
    OptionCase("return_attachment att", "1") { $0.delivery.isAttachment = true },
    OptionCase("preset pr", "small:good") { ($0.resizing.width, $0.output.quality) = (8, 90) },
    OptionCase("max_src_resolution msr", "1.5") { $0.limits.sourcePixels = 1_500_000 },
    OptionCase("max_src_file_size msfs", "10") { $0.limits.sourceBytes = 10 },
    OptionCase("max_animation_frames maf", "10") { $0.limits.animationFrames = 10 },
    OptionCase("max_animation_frame_resolution mafr", "2") {
      $0.limits.animationFramePixels = 2_000_000
    },
    OptionCase("max_result_dimension mrd", "500") { $0.limits.resultSide = 500 },
  ]

  private static let environment = [
    "IMGPROXY_ALLOW_SECURITY_OPTIONS": "1", "IMGPROXY_PRESETS": "small=w:8,good=q:90",
  ]

  @Test(arguments: sizes + framing + effects + output)
  func anOptionIsReadInEachSpelling(option: OptionCase) throws {
    var expected = ProcessingOptions()
    option.change(&expected)
    for name in option.names {
      #expect(try options("\(name):\(option.arguments)", Self.environment, now: 1000) == expected)
    }
  }

  @Test func eachNameIsReadBySomeTest() {
    let tested = (Self.sizes + Self.framing + Self.effects + Self.output).flatMap(\.names)
    let named = OptionRule.all.filter { if case .unsupported = $0.value { false } else { true } }
    #expect(Set(tested) == Set(named.keys))
  }

  @Test func aLaterOptionOverridesAnEarlier() throws {
    #expect(try options("w:5/w:6").resizing.width == 6)
    #expect(try options("rs:fill:5:6/s::7/rt:force").resizing.kind == .force)
    #expect(try options("bg:fff/bg:").effects.background == nil)
    #expect(try options("t:5/t:").framing.trim == nil)
    #expect(try options("exp:5/exp:0", now: 5).delivery.expires == nil)
    #expect(try options("aq:size:5/aq:none").output.autoquality.method == .none)
    #expect(try options("fq:png:5/fq:png:0").output.formatQuality.isEmpty)
  }

  @Test func whatAnOptionLeavesOutStays() throws {
    #expect(try options("s:5:6/s:7").resizing.height == 6)
    #expect(try options("g:so:1:2/g:no").framing.gravity == Gravity(kind: .north, x: 1, y: 2))
    #expect(try options("g:so:1:2/g:sm").framing.gravity == Gravity(kind: .smart))
    #expect(try options("fl:1:1/fl:0").effects.flip.vertically)
    #expect(try options("wm:1:re/wm:0.5").effects.watermark.position == nil)
    #expect(try options("pd:1:2:3:4/pd:5").framing.padding.left == 5)
    #expect(try options("aq:dssim:0.5/aq::::9").output.autoquality.target == 0.5)
    #expect(try options("skp:png/skp:gif").delivery.skippedFormats == [.png, .gif])
  }
}
