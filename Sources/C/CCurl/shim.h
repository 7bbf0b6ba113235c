#pragma once
#include <curl/curl.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

// libcurl's setters and getters are variadic, which Swift cannot call: one typed wrapper each.

typedef size_t (*ikran_curl_bytes_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ikran_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ikran_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ikran_curl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ikran_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ikran_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ikran_curl_set_callback(
    CURL *easy, CURLoption option, ikran_curl_bytes_callback value) {
  return curl_easy_setopt(easy, option, value);
}

// Only http and https are spoken, whatever libcurl could do.
static inline CURLcode ikran_curl_allow_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static inline int ikran_curl_has_http3(void) {
  return (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP3) != 0;
}

// Whether what is signed has the fields that S3 wants: before 7.87, own fields were left out.
static inline int ikran_curl_can_sign(void) {
  return curl_version_info(CURLVERSION_NOW)->version_num >= 0x075700;
}

// Signs requests, or returns to basic authentication: libcurl goes on without a scheme otherwise.
static inline void ikran_curl_set_signing(CURL *easy, const char *scheme) {
  curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, scheme);
  if (scheme == NULL) curl_easy_setopt(easy, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
}

// Copies the IPv4 or IPv6 address that is about to be connected to, in network byte order, and
// returns its length: 4, 16, or 0 for other kinds.
static inline size_t ikran_curl_address(const struct curl_sockaddr *target, unsigned char bytes[16]) {
  if (target->family == AF_INET) {
    memcpy(bytes, &((const struct sockaddr_in *)(const void *)&target->addr)->sin_addr, 4);
    return 4;
  }
  if (target->family == AF_INET6) {
    memcpy(bytes, &((const struct sockaddr_in6 *)(const void *)&target->addr)->sin6_addr, 16);
    return 16;
  }
  return 0;
}

// What libcurl does itself without a callback that opens sockets.
static inline curl_socket_t ikran_curl_open_socket(const struct curl_sockaddr *target) {
#ifdef SOCK_CLOEXEC
  return socket(target->family, target->socktype | SOCK_CLOEXEC, target->protocol);
#else
  return socket(target->family, target->socktype, target->protocol);
#endif
}

static inline CURLcode ikran_curl_set_opener(
    CURL *easy, curl_opensocket_callback opener, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
  return code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, opener);
}

// Tells how many bytes of a body were received, before their encoding is removed.
static inline CURLcode ikran_curl_set_progress(
    CURL *easy, curl_xferinfo_callback progress, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_XFERINFODATA, context);
  if (!code) code = curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, progress);
  return code ? code : curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
}

// Shows the bytes of bodies as they are received, while CURLOPT_VERBOSE is on.
static inline CURLcode ikran_curl_set_debug(
    CURL *easy, curl_debug_callback debug, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
  return code ? code : curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, debug);
}

// A host's name in ASCII as UTS 46 has it, from UTF-8 in any case and normal form; to be freed.
// NULL when it is no name, and without libidn2.
//
// libcurl converts names itself, but from the encoding of the process's locale. libidn2 is the one
// that libcurl is linked to: it has no header of its own here, so it is optional.
static inline char *ikran_curl_ascii_host(const char *host) {
  typedef int (*ikran_idn2_lookup)(const unsigned char *source, unsigned char **result, int flags);
  const char *function = "idn2_lookup_u8";
  void *symbol = dlsym(NULL, function);
  if (!symbol) {
    void *library = dlopen("libidn2.so.0", RTLD_NOW);
    if (library) symbol = dlsym(library, function);
  }
  if (!symbol) return NULL;
  ikran_idn2_lookup lookup = (ikran_idn2_lookup)symbol;
  unsigned char *result = NULL;
  // IDN2_NFC_INPUT and IDN2_NONTRANSITIONAL, as browsers have it; then IDN2_TRANSITIONAL, which
  // takes signs such as emoji too. libcurl does both.
  if (lookup((const unsigned char *)host, &result, 1 | 8) &&
      lookup((const unsigned char *)host, &result, 4))
    return NULL;
  return (char *)result;
}

// Cookies that all transfers of one thread share.
static inline CURLSH *ikran_curl_share_cookies(void) {
  CURLSH *share = curl_share_init();
  if (share) curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
  return share;
}

// The cookies that a handle knows, one line each; the caller frees the list.
static inline struct curl_slist *ikran_curl_get_cookies(CURL *easy) {
  struct curl_slist *list = NULL;
  return curl_easy_getinfo(easy, CURLINFO_COOKIELIST, &list) ? NULL : list;
}

// Sets the body to send, which libcurl copies.
static inline CURLcode ikran_curl_set_body(CURL *easy, const void *bytes, size_t count) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return code ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, count ? bytes : "");
}

// A transfer that ends while its host's name is being looked up does not wait for the look-up:
// the look-up's thread is detached and frees what it holds when it is done.
static inline CURLcode ikran_curl_detach_lookups(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
  return CURLE_OK;
#endif
}

static inline long ikran_curl_get_long(CURL *easy, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline curl_off_t ikran_curl_get_offset(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline const char *ikran_curl_get_string(CURL *easy, CURLINFO info) {
  char *value = NULL;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline void *ikran_curl_get_context(CURL *easy) {
  char *value = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value);
  return value;
}

static inline CURLMcode ikran_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

// The result is inside a union.
static inline CURLcode ikran_curl_message_result(const CURLMsg *message) {
  return message->data.result;
}

// Frees one large block, which tells glibc that large blocks come and go.
//
// It then keeps up to 2 MiB of freed memory instead of 128 KiB, as it does anyway after the first
// large image. Before, a receive buffer is given back to the system after most transfers, and
// faulted in again page by page (benchmark download.http1: 47 µs of CPU per image, 32 after).
static inline void ikran_curl_keep_freed_memory(void) {
  void *volatile block = malloc(1 << 20);
  free(block);
}
