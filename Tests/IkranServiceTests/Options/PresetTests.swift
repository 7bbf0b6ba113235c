import IkranCodecs
import Testing

@testable import IkranService

/// Options that URLs name together.
@Suite("Presets")
struct PresetTests {
  @Test func aPresetIsReadWhereItIsNamed() throws {
    let environment = ["IMGPROXY_PRESETS": "small=rs:fit:8:9/q:50, good = q:90 "]
    #expect(try options("pr:small", environment).resizing.height == 9)
    #expect(try options("pr:small:good", environment).output.quality == 90)
    #expect(try options("q:10/pr:small", environment).output.quality == 50)
    #expect(try options("pr:small/q:10", environment).output.quality == 10)
  }

  @Test func theDefaultIsForAllRequests() throws {
    let environment = ["IMGPROXY_PRESETS": "default=q:50/w:7/f:png"]
    let request = try request("/_/w:8/plain/a@gif", environment)
    #expect(request.options.output.quality == 50 && request.options.resizing.width == 8)
    #expect(request.options.output.format == .gif)
    #expect(try options("w:8", environment).output.format == .png)
  }

  @Test func aPresetWithinItselfIsSkipped() throws {
    let environment = ["IMGPROXY_PRESETS": "a=w:5/pr:b,b=pr:a:b/h:6,c=pr:a:a:b"]
    #expect(try options("pr:a", environment).resizing.height == 6)
    #expect(try options("pr:b", environment).resizing.width == 5)
    #expect(try options("pr:c", environment).resizing.width == 5)
  }

  @Test func urlsMayHaveNamesOfPresetsAlone() throws {
    let environment = [
      "IMGPROXY_PRESETS": "default=q:50,a=w:5,b=h:6/w:7", "IMGPROXY_ONLY_PRESETS": "true",
    ]
    let request = try request("/_/a:b/plain/x@png", environment)
    #expect(request.options.resizing.width == 7 && request.options.resizing.height == 6)
    #expect(request.options.output.quality == 50 && request.options.output.format == .png)
    #expect(try IkranServiceTests.request("/_/b%3Aa/YQ", environment).options.resizing.width == 5)
    for path in ["w:5/plain/a", "plain/a", "a:/plain/a", "a", "a/", "c/YQ", "/YQ"] {
      #expect(try fault("/_/" + path, environment)?.status == 404, "\(path)")
    }
  }

  @Test(arguments: [
    "a", "a=", "=w:5", "a=w:5=6", "a=w", "a=w:5/", "a=w:x", "a=nothing:1", "a=pr:b", "a=ph:1",
    "a=msr:5", "ok=w:5,a=br:5",
  ])
  func aMistakeInAPresetIsFoundAtTheStart(preset: String) throws {
    let error = try #require(settingsFault(["IMGPROXY_PRESETS": preset]))
    #expect(error.variable == "IMGPROXY_PRESETS" && !error.expected.isEmpty)
  }

  @Test func presetsMayBeInAFile() throws {
    let text = "# comment\n\n  small = w:5/q:6\r\n=\n"
    func settings(_ text: String) throws -> ServiceSettings {
      let environment = [
        "IKRAN_PRESETS_PATH": "/presets", "IKRAN_PRESETS": "a=h:4;b=h:5",
        "IKRAN_PRESETS_SEPARATOR": ";",
      ]
      return try ServiceSettings(environment: environment) {
        $0 == "/presets" ? Array(text.utf8) : nil
      }
    }
    #expect(throws: SettingsError.self) { try RequestReader(settings(text)) }
    let reader = try RequestReader(settings(text.replacing("=\n", with: "")))
    let options = try reader.read(target: "/_/pr:small:b/plain/a", now: 0).options
    #expect(options.output.quality == 6 && options.resizing.height == 5)
    #expect(settingsFault(["IKRAN_PRESETS_PATH": "/nowhere"])?.variable == "IKRAN_PRESETS_PATH")
  }

  /// Others are for the endpoints that know their options.
  @Test func theDefaultHasOptionsOfPicturesAlone() {
    #expect(settingsFault(["IKRAN_PRESETS": "default=style:circle"])?.value == "default")
    #expect(settingsFault(["IKRAN_PRESETS": "small=style:circle"]) == nil)
  }
}
