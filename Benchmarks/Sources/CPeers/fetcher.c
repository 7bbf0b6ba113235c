// libcurl's multi interface on a separate thread, and a list of URLs to fetch: the minimum for
// downloads for callers on other threads. Completions are reported several at a time, as each may
// wake a thread.
#include <curl/curl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "CPeers.h"

enum { most_connections = 64, endings_at_once = 32, longest_silence = 10 };

struct job {
  struct job *next;
  void *context;
  char url[];
};

struct transfer {
  CURL *easy;
  char *body;
  size_t length, capacity;
  struct job *job;
};

struct ending {
  struct job *job;
  size_t length;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *first_job, **last_job = &first_job;
static int is_asleep;

static CURLM *multi;
static peers_fetched tell;
static struct transfer transfers[most_connections], *idle[most_connections];
static int idle_count;
static struct ending endings[endings_at_once + most_connections];
static int ending_count, silent_passes;

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
  struct transfer *transfer = context;
  size_t arrived = size * count, needed = transfer->length + arrived;
  if (needed > transfer->capacity) {
    curl_off_t length = -1;
    curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    size_t capacity = length > (curl_off_t)needed ? (size_t)length : 2 * needed;
    char *body = realloc(transfer->body, capacity);
    if (!body) return 0;
    transfer->body = body, transfer->capacity = capacity;
  }
  memcpy(transfer->body + transfer->length, bytes, arrived);
  transfer->length = needed;
  return arrived;
}

static struct job *next_job(void) {
  pthread_mutex_lock(&lock);
  struct job *job = first_job;
  if (job && !(first_job = job->next)) last_job = &first_job;
  is_asleep = 0;
  pthread_mutex_unlock(&lock);
  return job;
}

static int start_transfers(void) {
  int started = 0;
  struct job *job;
  while (idle_count && (job = next_job())) {
    struct transfer *transfer = idle[--idle_count];
    transfer->job = job, transfer->body = NULL;
    transfer->length = transfer->capacity = 0;
    curl_easy_setopt(transfer->easy, CURLOPT_URL, &job->url[0]);
    curl_multi_add_handle(multi, transfer->easy);
    started++;
  }
  return started;
}

static void end_transfers(void) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    struct transfer *transfer = NULL;
    long status = 0;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
    curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
    int is_good = message->data.result == CURLE_OK && status == 200;
    curl_multi_remove_handle(multi, transfer->easy);
    endings[ending_count++] = (struct ending){transfer->job, is_good ? transfer->length : 0};
    free(transfer->body);
    idle[idle_count++] = transfer;
  }
}

static void tell_endings(void) {
  for (int i = 0; i < ending_count; i++) {
    tell(endings[i].job->context, endings[i].length);
    free(endings[i].job);
  }
  ending_count = silent_passes = 0;
}

static int may_sleep(void) {
  pthread_mutex_lock(&lock);
  is_asleep = !first_job;
  int may = is_asleep || !idle_count;
  pthread_mutex_unlock(&lock);
  return may;
}

static void *run(void *unused) {
  for (;;) {
    int started = start_transfers(), running = 0, ready = 0;
    curl_multi_perform(multi, &running);
    end_transfers();
    if (ending_count && ++silent_passes >= longest_silence) tell_endings();
    if (ending_count >= endings_at_once) tell_endings();
    if (started || start_transfers()) continue;
    if (ending_count) {
      curl_multi_poll(multi, NULL, 0, 0, &ready);
      if (ready) continue;
      tell_endings();
    }
    if (may_sleep()) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  return unused;
}

bool peers_fetcher_start(int connections, peers_fetched done) {
  if (multi || connections > most_connections) return false;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  tell = done;
  multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)connections);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)connections);
  for (int i = 0; i < connections; i++) {
    CURL *easy = transfers[i].easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfers[i]);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 65536L);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfers[i]);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    idle[idle_count++] = &transfers[i];
  }
  pthread_t thread;
  return pthread_create(&thread, NULL, run, NULL) == 0;
}

void peers_fetcher_fetch(const char *url, void *context) {
  size_t size = strlen(url) + 1;
  struct job *job = malloc(sizeof *job + size);
  if (!job) abort();
  job->next = NULL, job->context = context;
  memcpy(job->url, url, size);
  pthread_mutex_lock(&lock);
  *last_job = job, last_job = &job->next;
  int must_wake = is_asleep;
  is_asleep = 0;
  pthread_mutex_unlock(&lock);
  if (must_wake) curl_multi_wakeup(multi);
}
