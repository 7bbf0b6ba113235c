#pragma once

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// Typed wrappers for what Swift cannot call (variadics, socket address casts). Every function that
// can fail returns a negative errno.

// How a daemon starts. It owns the socket from then on.
struct ikran_daemon_start {
  int socket;
  unsigned int threads, connections, idle_seconds;
  // Bytes for the head of a request; 0 is libmicrohttpd's choice.
  size_t head_bytes;
  int strictness;
  MHD_AccessHandlerCallback handler;
  MHD_RequestCompletedCallback completed;
  // Gets each connection when it begins, and before its socket is closed. May be NULL.
  MHD_NotifyConnectionCallback connection;
  // Gets the target as it was sent; its result is where the handler begins. May be NULL.
  void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
  void *context;
};

// Starts a daemon of epoll threads on a listening socket.
static inline struct MHD_Daemon *ikran_mhd_start(const struct ikran_daemon_start *start) {
  const unsigned int flags =
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME;
  struct MHD_OptionItem more[4];
  int count = 0;
  if (start->target != NULL)
    more[count++] = (struct MHD_OptionItem){MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)start->target,
                                            start->context};
  if (start->connection != NULL)
    more[count++] = (struct MHD_OptionItem){MHD_OPTION_NOTIFY_CONNECTION,
                                            (intptr_t)start->connection, start->context};
  if (start->head_bytes > 0)
    more[count++] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                            (intptr_t)start->head_bytes, NULL};
  more[count] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
  return MHD_start_daemon(flags, 0, NULL, NULL, start->handler, start->context,
                          MHD_OPTION_LISTEN_SOCKET, start->socket,
                          MHD_OPTION_NOTIFY_COMPLETED, start->completed, start->context,
                          MHD_OPTION_CONNECTION_LIMIT, start->connections,
                          MHD_OPTION_CONNECTION_TIMEOUT, start->idle_seconds,
                          MHD_OPTION_STRICT_FOR_CLIENT, start->strictness,
                          // A pool of one thread is refused; zero means no pool.
                          MHD_OPTION_THREAD_POOL_SIZE, start->threads > 1 ? start->threads : 0u,
                          MHD_OPTION_ARRAY, more, MHD_OPTION_END);
}

static inline unsigned int ikran_daemon_connections(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info =
      MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info == NULL ? 0 : info->num_connections;
}

static inline int ikran_connection_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

static inline bool ikran_connection_is_local(int socket) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  return getsockname(socket, (struct sockaddr *)&address, &size) == 0 &&
         address.ss_family == AF_UNIX;
}

// Writes the number of the client's address; false for a Unix socket.
static inline bool ikran_connection_client(struct MHD_Connection *connection, char *text,
                                           socklen_t size) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (info == NULL || info->client_addr == NULL) return false;
  const struct sockaddr *address = info->client_addr;
  if (address->sa_family == AF_INET) {
    const struct in_addr *four = &((const struct sockaddr_in *)address)->sin_addr;
    return inet_ntop(AF_INET, four, text, size) != NULL;
  }
  if (address->sa_family != AF_INET6) return false;
  const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
  // A socket of both families has addresses of IPv4 at the end of such.
  if (IN6_IS_ADDR_V4MAPPED(six)) return inet_ntop(AF_INET, six->s6_addr + 12, text, size) != NULL;
  return inet_ntop(AF_INET6, six, text, size) != NULL;
}

// The daemon sees the end of the connection, and closes it; the client can still read.
static inline void ikran_connection_shut_down(int socket) { shutdown(socket, SHUT_RDWR); }

// Breaks a connection off: the client gets a reset, and what was not sent yet is lost.
static inline void ikran_connection_reset(int socket) {
  struct sockaddr nobody = {.sa_family = AF_UNSPEC};
  connect(socket, &nobody, sizeof nobody);
}

// Lets an answer announce any length, or several, whatever its body has. The body must be of unknown
// size: before 0.9.76 libmicrohttpd adds its own length to any other. Unless it is chunked it ends
// with the connection.
static inline void ikran_response_may_lie(struct MHD_Response *response, int is_chunked) {
  int flags = MHD_RF_INSANITY_HEADER_CONTENT_LENGTH;
  if (!is_chunked) flags |= MHD_RF_HTTP_1_0_COMPATIBLE_STRICT;
  MHD_set_response_options(response, (enum MHD_ResponseFlags)flags, MHD_RO_END);
}

// An alarm: an epoll set of clients that may hang up, and an event that wakes its thread. Returns
// the set; `wake` receives the event.
static inline int ikran_alarm_open(int *wake) {
  int set = epoll_create1(EPOLL_CLOEXEC);
  if (set < 0) return -errno;
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = UINT64_MAX};
  *wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (*wake >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, *wake, &event) == 0) return set;
  int failure = errno;
  if (*wake >= 0) close(*wake);
  close(set);
  return -failure;
}

static inline void ikran_alarm_ring(int wake) { eventfd_write(wake, 1); }

static inline void ikran_alarm_watch(int set, int socket, uint64_t number) {
  struct epoll_event event = {.events = EPOLLRDHUP, .data.u64 = number};
  epoll_ctl(set, EPOLL_CTL_ADD, socket, &event);
}

static inline void ikran_alarm_forget(int set, int socket) {
  epoll_ctl(set, EPOLL_CTL_DEL, socket, NULL);
}

// Sleeps so many milliseconds (-1: for ever), until it is woken or a client hangs up. Returns
// how many numbers of clients it has stored.
static inline int ikran_alarm_wait(int set, int wake, int milliseconds, uint64_t *numbers,
                                   int capacity) {
  struct epoll_event events[64];
  int count = epoll_wait(set, events, capacity < 64 ? capacity : 64, milliseconds);
  int stored = 0;
  for (int index = 0; index < count; index++) {
    eventfd_t rings;
    if (events[index].data.u64 == UINT64_MAX) eventfd_read(wake, &rings);
    else numbers[stored++] = events[index].data.u64;
  }
  return stored;
}

static inline int ikran_bound_port(int socket) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(socket, (struct sockaddr *)&address, &length) != 0) return -errno;
  if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  if (address.ss_family != AF_INET) return 0;
  return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

// A listening socket, which the daemon owns. Our own, because a failed
// MHD_start_daemon does not say why. -EDESTADDRREQ: the host name has no address here.
static inline int ikran_listen(const char *host, uint16_t port) {
  char service[8];
  snprintf(service, sizeof service, "%u", (unsigned)port);
  struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  if (getaddrinfo(host, service, &hints, &found) != 0) return -EDESTADDRREQ;
  int descriptor = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int failure = descriptor < 0 ? errno : 0;
  int yes = 1;
  if (failure == 0) setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (failure == 0 && (bind(descriptor, found->ai_addr, found->ai_addrlen) != 0 ||
                       listen(descriptor, 1024) != 0))
    failure = errno;
  freeaddrinfo(found);
  if (failure == 0) return descriptor;
  if (descriptor >= 0) close(descriptor);
  return -failure;
}

// A listening Unix socket at a path. One that a program has left there, on which nothing listens,
// is replaced; any other file stays.
static inline int ikran_listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address.sun_path) return -ENAMETOOLONG;
  memcpy(address.sun_path, path, length);
  const struct sockaddr *place = (const struct sockaddr *)&address;
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  int failure = bind(descriptor, place, sizeof address) != 0 ? errno : 0;
  if (failure == EADDRINUSE) {
    int client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct stat status;
    int isLeft = client >= 0 && lstat(path, &status) == 0 && S_ISSOCK(status.st_mode) &&
                 connect(client, place, sizeof address) != 0 && errno == ECONNREFUSED;
    if (client >= 0) close(client);
    if (isLeft && unlink(path) == 0)
      failure = bind(descriptor, place, sizeof address) != 0 ? errno : 0;
  }
  if (failure == 0 && listen(descriptor, 1024) != 0) failure = errno;
  if (failure == 0) return descriptor;
  close(descriptor);
  return -failure;
}

// Takes a listening socket that another program has opened.
static inline int ikran_take_listener(int socket) {
  int listens = 0;
  socklen_t length = sizeof listens;
  if (getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0) return -errno;
  if (!listens) return -EINVAL;
  int flags = fcntl(socket, F_GETFL);
  if (flags < 0 || fcntl(socket, F_SETFL, flags | O_NONBLOCK) != 0) return -errno;
  return fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 ? 0 : -errno;
}

// Sends a text to the socket of a service manager: a path, or an abstract name after an @.
static inline void ikran_tell_manager(const char *place, const char *text) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(place);
  if (length == 0 || length >= sizeof address.sun_path) return;
  memcpy(address.sun_path, place, length);
  if (place[0] == '@') address.sun_path[0] = 0;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return;
  sendto(descriptor, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&address,
         (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
  close(descriptor);
}

// Tells it that settings are read again, and when, as sd_notify(3) wants it.
static inline void ikran_tell_reloading(const char *place) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  char text[64];
  long long time = (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
  snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%lld", time);
  ikran_tell_manager(place, text);
}

struct ikran_file {
  int descriptor;
  int64_t size;
  int64_t modified_seconds;
  int64_t modified_nanoseconds;
  uint64_t inode;
};

// The real path of a folder, into a buffer of PATH_MAX bytes.
static inline int ikran_real_folder(const char *path, char *real) {
  struct stat status;
  if (realpath(path, real) == NULL || stat(real, &status) != 0) return -errno;
  return S_ISDIR(status.st_mode) ? 0 : -ENOTDIR;
}

// Opens root/path for reading when it is a regular file that really lies beneath root. The check
// follows the open, on the descriptor itself: no link can be swapped in between.
static inline int ikran_open_beneath(const char *root, const char *path, struct ikran_file *file) {
  char full[2 * PATH_MAX], link[64], real[PATH_MAX];
  int length = snprintf(full, sizeof full, "%s/%s", root, path);
  if (length < 0 || (size_t)length >= sizeof full) return -ENAMETOOLONG;
  int descriptor = open(full, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return -errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, real, sizeof real);
  size_t prefix = strcmp(root, "/") == 0 ? 0 : strlen(root);
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || count <= (ssize_t)prefix ||
      memcmp(real, root, prefix) != 0 || real[prefix] != '/') {
    close(descriptor);
    return -EACCES;
  }
  file->descriptor = descriptor;
  file->size = status.st_size;
  file->modified_seconds = status.st_mtim.tv_sec;
  file->modified_nanoseconds = status.st_mtim.tv_nsec;
  file->inode = status.st_ino;
  return 0;
}

static inline ssize_t ikran_read_at(int descriptor, void *buffer, size_t count, int64_t offset) {
  ssize_t taken;
  do taken = pread(descriptor, buffer, count, offset);
  while (taken < 0 && errno == EINTR);
  return taken < 0 ? -errno : taken;
}

static inline int ikran_duplicate(int descriptor) {
  int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  return copy < 0 ? -errno : copy;
}

static inline void ikran_close(int descriptor) { close(descriptor); }
