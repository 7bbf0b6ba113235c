// Downloads files with libcurl's multi interface and nothing around it.
//
// Responds to each line "BASE COUNT CONNECTIONS" on its input with one line: the nanoseconds of wall
// clock and of processor time that COUNT files took, CONNECTIONS at a time. It requests BASE/0.bin …
// BASE/(COUNT-1).bin, stores each body in separate memory while it arrives, and frees it when it
// is complete. Connections stay open from line to line. When BASE is https, whatever certificate the
// server has, CONNECTIONS is the number of streams of HTTP/2 over one connection.
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct transfer {
  CURL *easy;
  char *body;
  size_t length, capacity;
};

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double processor_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
  struct transfer *transfer = context;
  size_t arrived = size * count;
  if (!transfer->body) {
    curl_off_t length = -1;
    curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    transfer->capacity = length > 0 && length < (1 << 20) ? (size_t)length : 65536;
    transfer->body = malloc(transfer->capacity);
    if (!transfer->body) return 0;
  }
  if (transfer->length + arrived > transfer->capacity) {
    size_t capacity = 2 * (transfer->length + arrived);
    char *body = realloc(transfer->body, capacity);
    if (!body) return 0;
    transfer->body = body;
    transfer->capacity = capacity;
  }
  memcpy(transfer->body + transfer->length, bytes, arrived);
  transfer->length += arrived;
  return arrived;
}

static int is_secure(const char *base) { return strncmp(base, "https:", 6) == 0; }

static void start(CURLM *multi, struct transfer *transfer, const char *base, long number) {
  char url[1024];
  snprintf(url, sizeof url, "%s/%ld.bin", base, number);
  curl_easy_setopt(transfer->easy, CURLOPT_URL, url);
  if (is_secure(base)) {
    curl_easy_setopt(transfer->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(transfer->easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(transfer->easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  transfer->body = NULL;
  transfer->length = transfer->capacity = 0;
  curl_multi_add_handle(multi, transfer->easy);
}

static void run(CURLM *multi, struct transfer *transfers, const char *base, long count,
                long connections) {
  long next = 0, done = 0;
  while (next < connections && next < count) {
    start(multi, &transfers[next], base, next);
    next++;
  }
  while (done < count) {
    int running = 0, left = 0;
    curl_multi_perform(multi, &running);
    CURLMsg *message;
    int added = 0;
    while ((message = curl_multi_info_read(multi, &left))) {
      struct transfer *transfer = NULL;
      long status = 0;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
      curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
      if (message->data.result != CURLE_OK || status != 200) {
        fprintf(stderr, "curl-multi: %s (status %ld)\n",
                curl_easy_strerror(message->data.result), status);
        exit(1);
      }
      curl_multi_remove_handle(multi, transfer->easy);
      free(transfer->body);
      done++;
      if (next < count) {
        start(multi, transfer, base, next++);
        added = 1;
      }
    }
    if (!added && done < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
}

enum { most_connections = 64 };

int main(void) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  struct transfer transfers[most_connections];
  for (long i = 0; i < most_connections; i++) {
    CURL *easy = transfers[i].easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfers[i]);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 65536L);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfers[i]);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
  }
  char base[512];
  long count, connections;
  while (scanf("%511s %ld %ld", base, &count, &connections) == 3) {
    if (count < 1 || connections < 1 || connections > most_connections) return 2;
    long host_connections = is_secure(base) ? 1 : connections;
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, host_connections);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, connections);
    curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, connections);
    double time = seconds(), processor = processor_seconds();
    run(multi, transfers, base, count, connections);
    time = seconds() - time;
    processor = processor_seconds() - processor;
    printf("%.0f %.0f\n", time * 1e9, processor * 1e9);
    fflush(stdout);
  }
  for (long i = 0; i < most_connections; i++) curl_easy_cleanup(transfers[i].easy);
  curl_multi_cleanup(multi);
  curl_global_cleanup();
  return 0;
}
