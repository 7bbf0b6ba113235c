#if JXL
import Foundation
import IkranPixels

/// Small files.
enum JXLSample {
  /// One pixel.
  static let pixel: [UInt8] = [
    0xFF, 0x0A, 0x00, 0x10, 0x10, 0x50, 0x5C, 0x08, 0x08, 0x02, 0x01, 0x00, 0x34, 0x00, 0x4B,
    0x18, 0x8B, 0x15, 0xC2, 0x41, 0xDA, 0xE1, 0x01, 0xF6, 0x22, 0x9D, 0xAD,
  ]

  /// Four frames of 48 by 36 pixels without loss, of 100, 250, 40 and 500 ms, played for ever.
  static let animation = [UInt8](Data(base64Encoded: text) ?? Data())

  private static let text =
    "/woYMcEAFhSXBAgIIJkAACQCSyijbJtc6+D1nYPfKRyUgsJqJCQUHNFAgIJCBNQzEz/GGLdT543GWxT1SgBggBCQAF"
    + "EQAGB7TEBuBvsN/mboELExHAELaIVIvIqZj5yrep6MX1uutniylmUWyacVFMbNfHUwhyGXUF7dYubX/yKw4fdQDDUC"
    + "NCs+kFMoVlyp2a3w5wNFICcD3CQICKC+AAAsAksoo2ybXOvg9ZWD30kclILCLHYUFBSWo6DgiDAQEFFQQITbzcUYLL"
    + "YTjlBjDFYhaoBRkYzcMIOVAMAAISABoiAAwPbsI08J/IHNDDginDQQvWD/htEcj+SsFySZ4RejgpmIuhGAzJ8XMrXC"
    + "Z+DFGngpCN5ZgUDAZW/knqx0qwWC66FkQEyLhjtXy98ICCCKAADwAUsoo2ybXOvg9ZWD30kclILCLHYUFBSWo6DgiD"
    + "AQEFFQQITrzMQYLLcTjlBjDFYhaoBRMZLcGIOVAMAAISABoiAAwPaoCwgH/LHYfUEheBH8jd+P+vsflsljqruMBafU"
    + "nnm6++6LZGaPvXcOA8Ui4xthsEokIMLakhPNXQUICDB9AABAAADQAUsoo2ybXGvl4PWDkjj43Sx2FCQUFBSWo6DgiD"
    + "AQAAUFRKhnJsag7bQzU6AGGBVjpKD0SgBggBCQAFEQAGB7KXWlAv5CllYlKFoz+oxOUXTOweqNm6kfYx7McTLB2Vi8"
    + "JTy4XZjzVoiwMRpkRO1T+PpkfVgB"
}
#endif
