#define _GNU_SOURCE
#include "ikran_sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int ikran_channel_pair(int *ends) {
  int low[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, low) != 0) return -errno;
  // Above those that a program is started with.
  for (int i = 0; i < 2; i++) ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 5);
  int error = errno;
  for (int i = 0; i < 2; i++) close(low[i]);
  if (ends[0] >= 0 && ends[1] >= 0) return 0;
  for (int i = 0; i < 2; i++)
    if (ends[i] >= 0) close(ends[i]);
  ends[0] = ends[1] = -1;
  return -error;
}

bool ikran_channel_send(int channel, const void *message, size_t bytes, int passed) {
  struct iovec part = {(void *)message, bytes};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};
  if (passed >= 0) {
    packet.msg_control = &control;
    packet.msg_controllen = sizeof control.room;
    struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &passed, sizeof passed);
  }
  ssize_t sent;
  // The other end reads what it asks for; one that does not is of no use.
  do sent = sendmsg(channel, &packet, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && errno == EINTR);
  return sent == (ssize_t)bytes;
}

ssize_t ikran_channel_receive(int channel, void *message, size_t bytes, int *passed) {
  struct iovec part = {message, bytes};
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct msghdr packet = {
    .msg_iov = &part,
    .msg_iovlen = 1,
    .msg_control = &control,
    // Room for one descriptor: the kernel drops what else is sent.
    .msg_controllen = CMSG_LEN(sizeof(int)),
  };
  *passed = -1;
  ssize_t received;
  do received = recvmsg(channel, &packet, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  if (received < 0) return 0;
  struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof(int)))
    memcpy(passed, CMSG_DATA(header), sizeof *passed);
  return received;
}

int ikran_interrupt_create(void) {
  int interrupt = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return interrupt < 0 ? -errno : interrupt;
}

int ikran_memory_create(size_t bytes) {
  int low = memfd_create("ikran-pixels", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (low < 0) return -errno;
  int memory = fcntl(low, F_DUPFD_CLOEXEC, 5);
  int error = errno;
  close(low);
  if (memory < 0) return -error;
  if (ftruncate(memory, (off_t)bytes) == 0 && fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK) == 0)
    return memory;
  error = errno;
  close(memory);
  return -error;
}

ssize_t ikran_memory_fix(int memory) {
  // What shrinks while it is read ends the reader by a signal, and what changes was not checked.
  int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  if (fcntl(memory, F_ADD_SEALS, seals) != 0) return -errno;
  struct stat status;
  if (fstat(memory, &status) != 0) return -errno;
  // Pages behind its end would be counted by no cache.
  if (status.st_blocks * 512 > status.st_size + (2 << 20)) return -EFBIG;
  return (ssize_t)status.st_size;
}

bool ikran_memory_write(int memory, const void *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t written = pwrite(memory, (const char *)bytes + done, count - done, (off_t)done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += (size_t)written;
  }
  return true;
}

bool ikran_memory_grow(int memory, size_t bytes) { return ftruncate(memory, (off_t)bytes) == 0; }

void ikran_memory_release(int memory, size_t kept, size_t bytes) {
  if (bytes <= kept) return;
  (void)fallocate(
    memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)kept, (off_t)(bytes - kept));
}

int ikran_program_start(
  const char *path, char *const *environment, int channel, int memory, int *handle) {
  *handle = -1;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&files) != 0) return -ENOMEM;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&files);
    return -ENOMEM;
  }
  int error = 0;
  for (int i = 0; i < 3 && !error; i++)
    error = posix_spawn_file_actions_addopen(&files, i, "/dev/null", O_RDWR, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(&files, channel, 3);
  if (!error) error = posix_spawn_file_actions_adddup2(&files, memory, 4);
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(&files, 5);
  // Its own group: what ends the program in a terminal leaves its decoders to the program.
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  if (!error) error = posix_spawnattr_setpgroup(&attributes, 0);
  if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
  if (!error)
    error = posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t process = 0;
  char *const arguments[] = {(char *)path, NULL};
  if (!error) error = posix_spawn(&process, path, &files, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error) return -error;
  *handle = (int)syscall(SYS_pidfd_open, process, 0);
  return process;
}

void ikran_program_kill(pid_t process, int handle) {
  if (handle >= 0) {
    (void)syscall(SYS_pidfd_send_signal, handle, SIGKILL, NULL, 0);
  } else {
    (void)kill(process, SIGKILL);
  }
}
