#if CLibraries
import CCurl

/// A name and a password, which are sent, or sign what is sent.
struct CurlLogin: Hashable {
  let user: String
  let password: String
  /// The scheme of signatures in libcurl's spelling; nil sends both (basic authentication).
  let signing: String?

  init(_ credential: Credential) {
    (user, password, signing) = (credential.user, credential.password, nil)
  }

  init(_ signature: AWSSignature) {
    (user, password) = (signature.id, signature.secret)
    signing = "aws:amz:\(signature.region):\(signature.service)"
  }
}

extension CurlEasyHandle {
  /// Sets who is asking; nil is anyone.
  ///
  /// `curl_easy_setopt`.
  borrowing func set(_ login: CurlLogin?) {
    if let login {
      set(CURLOPT_USERNAME, login.user)
      set(CURLOPT_PASSWORD, login.password)
    } else {
      clear(CURLOPT_USERNAME)
      clear(CURLOPT_PASSWORD)
    }
    withRaw { ikran_curl_set_signing($0, login?.signing) }
  }
}
#endif
