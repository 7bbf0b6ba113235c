import IkranCodecs
import Testing

@testable import IkranService

/// Options that are refused, and what is said of them.
@Suite("Faults of options")
struct OptionFaultTests {
  @Test(arguments: [
    "w:", "w:-1", "w:1.5", "w:a", "w:1:2", "w:1:", "w:0x5", "rs:cover", "rs:fit:1:1:1:1:ce:0:0:0",
    "rs:fit:-1", "s:1:1:1:1:sm", "rt:", "rt:FIT", "z:0", "z:", "z:1:", "z:1:0", "z:1:1:1", "dpr:0",
    "dpr:-1", "dpr:nan", "dpr:inf", "ex:1:", "ex:1:sm", "ex:1:ce:a", "g:", "g:x", "g:sm:1",
    "g:fp", "g:fp:0.5", "g:fp:0.5:", "g:fp:1.5:0", "g:fp:0:0:0", "g:no:1:1:1", "g:no:a", "c:",
    "c:-1",
    "c:1:", "c:1:1:", "c:1:1:fp", "t:a", "t:1:ggg", "t:1:ffff", "t:1:fff:1:1:1", "pd:-1",
    "pd:1:1:1:1:1", "pd:1.5", "ar:1:1", "rot:45", "rot:", "fl:1:1:1", "bg:1:2", "bg:256:0:0",
    "bg:1:2:3:4", "bg:#fff", "bg:+1:0:0", "bg:-0:0:0", "bg:::", "bl:-1", "sh:", "pix:-1", "wm:",
    "wm:2",
    "wm:1:sm",
    "wm:1:fp", "wm:1:ce:a", "wm:1:ce:0:0:-1", "wm:1:ce:0:0:0:0", "q:101", "q:-1", "q:", "fq:png",
    "fq:", "fq:png:101", "fq:PNG:5", "fq:png:5:gif", "mb:-1",
    "aq:best", "aq:DSSIM", "aq:dssim:-1", "aq:dssim:1.5", "aq:dssim:nan", "aq:size", "aq:size:0.5",
    "aq:size:a", "aq:size:5:101", "aq:size:5:-1", "aq:size:5:80:70", "aq:dssim::::2",
    "aq:dssim:0.1:1:2:0.1:0", "f:", "f:JPG", "f:png:1", "f:pdf",
    "skp:", "skp:png:", "skp:mp4", "cb:1:1", "exp:", "exp:1.5", "fn:a:1:1", "fn:a+b:1",
    "fn:abcde:1",
    "pr:nothing", "pr:", "nothing:1", ":1", "WIDTH:1", "min_width:1", "min_height:1", "raw:1:1",
  ])
  func aBadOptionIsAnInvalidURL(option: String) throws {
    let error = try fault("/_/\(option)/plain/a")
    guard case .option(_, let reason) = error else {
      Issue.record("\(option): \(String(describing: error))")
      return
    }
    #expect(error?.status == 404 && error?.message == "Invalid URL" && !reason.isEmpty)
  }

  @Test(arguments: [
    "resizing_algorithm:cubic", "ra:cubic", "adjust:1", "br:5", "co:1", "sa:1", "mc:1", "dt:1",
    "ush:1", "blur_detections:5", "watermark_url:a", "wmu:a", "wmt:a", "st:a", "dpi:72", "icc:srgb",
    "autoquality:ml", "aq:ml:0.02",
    "jpgo:1", "pngo:1", "webpo:1", "avifo:1", "page:1", "pgs:1", "da:1",
    "video_thumbnail_second:1", "vts:1", "fiu:a", "hashsum:md5:a", "hs:md5:a", "cache_tags:a",
    "g:obj:face", "g:objw", "c:1:1:obj", "wm:1:ch", "f:best", "preserve_hdr:1", "ph:t",
  ])
  func anOptionThatIsNotSupportedSaysSo(option: String) throws {
    let error = try fault("/_/\(option)/plain/a")
    guard case .unsupportedOption(let name, _) = error else {
      Issue.record("\(option): \(String(describing: error))")
      return
    }
    #expect(option.hasPrefix(name + ":") && error?.status == 404 && error?.message == "Invalid URL")
    #expect(error?.details.contains("“\(name)”") == true)
  }

  @Test(arguments: ["msr:1", "max_src_file_size:1", "maf:1", "mafr:1", "max_result_dimension:1"])
  func anOptionThatLiftsLimitsIsForbidden(option: String) throws {
    let error = try fault("/_/\(option)/plain/a")
    #expect(error?.status == 403 && error?.message == "Invalid URL")
    let environment = ["IMGPROXY_ALLOW_SECURITY_OPTIONS": "1"]
    #expect(try fault("/_/\(option)/plain/a", environment) == nil)
    #expect(try fault("/_/maf:0/plain/a", environment)?.status == 404)
  }

  @Test func anExpiredURLIsInvalid() throws {
    #expect(try fault("/_/exp:99/plain/a", now: 100) == .expired(at: 99))
    #expect(try fault("/_/exp:100/plain/a", now: 100) == nil)
    #expect(try fault("/_/exp:0/plain/a", now: 100) == nil)
    #expect(ServiceError.expired(at: 99).status == 404)
    #expect(ServiceError.expired(at: 99).message == "Invalid URL")
  }

  @Test func onlyAllowedNamesAreRead() throws {
    let environment = [
      "IMGPROXY_ALLOWED_PROCESSING_OPTIONS": "w, height,pr",
      "IMGPROXY_PRESETS": "small=q:5/width:7",
    ]
    #expect(try options("w:5/height:6/pr:small", environment).resizing.width == 7)
    for option in ["width:5", "h:6", "q:5", "preset:small"] {
      #expect(try fault("/_/\(option)/plain/a", environment)?.status == 404, "\(option)")
    }
    #expect(try request("/_/plain/a@png", environment).options.output.format == .png)
  }
}
