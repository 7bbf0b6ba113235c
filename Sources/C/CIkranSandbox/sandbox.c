#define _GNU_SOURCE
#include "ikran_sandbox.h"
#include <fcntl.h>
#include <linux/landlock.h>
#include <malloc.h>
#include <sched.h>
#include <seccomp.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// What every version of Landlock can deny; a newer kernel's further rights change nothing for a process
// that can open no file for writing and no socket.
static const __u64 FILE_RIGHTS =
  LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
  LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
  LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
  LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
  LANDLOCK_ACCESS_FS_MAKE_SYM;

static bool limit_files(const char *const *folders, int folder_count) {
  struct landlock_ruleset_attr attributes = {.handled_access_fs = FILE_RIGHTS};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (rules < 0) return false;
  for (int i = 0; i < folder_count; i++) {
    int folder = open(folders[i], O_PATH | O_CLOEXEC);
    if (folder < 0) continue;  // Not every system has every one.
    struct landlock_path_beneath_attr rule = {
      .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
      .parent_fd = folder,
    };
    if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
      // A file has no entries.
      rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
      (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    close(folder);
  }
  bool is_limited = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return is_limited;
}

// All but these fail with EPERM. None of them reaches beyond this process, its memory and its channel.
static const int CALLS[] = {
  SCMP_SYS(brk), SCMP_SYS(clock_getres), SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep),
  SCMP_SYS(close), SCMP_SYS(dup), SCMP_SYS(exit), SCMP_SYS(exit_group),
  SCMP_SYS(fstat), SCMP_SYS(ftruncate), SCMP_SYS(futex), SCMP_SYS(getcpu),
  SCMP_SYS(getegid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getpid), SCMP_SYS(getrandom),
  SCMP_SYS(getrusage), SCMP_SYS(gettid), SCMP_SYS(gettimeofday), SCMP_SYS(getuid), SCMP_SYS(lseek),
  SCMP_SYS(madvise), SCMP_SYS(membarrier), SCMP_SYS(mremap),
  SCMP_SYS(munmap), SCMP_SYS(nanosleep), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(pread64), SCMP_SYS(pwrite64),
  SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(recvmsg), SCMP_SYS(restart_syscall), SCMP_SYS(rseq),
  SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
  SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_getparam), SCMP_SYS(sched_getscheduler),
  SCMP_SYS(sched_yield), SCMP_SYS(sendmsg), SCMP_SYS(set_robust_list), SCMP_SYS(sigaltstack),
  SCMP_SYS(sysinfo), SCMP_SYS(uname), SCMP_SYS(write), SCMP_SYS(writev),
};

// Where Landlock says which files these may open.
static const int FILE_CALLS[] = {
  SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(fstatfs),
  SCMP_SYS(getcwd), SCMP_SYS(getdents64), SCMP_SYS(newfstatat), SCMP_SYS(open), SCMP_SYS(openat),
  SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(statfs),
  SCMP_SYS(statx),
};

// Not those that have the kernel send signals to other processes.
static const int DESCRIPTOR_COMMANDS[] = {
  F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_ADD_SEALS, F_GET_SEALS,
};

static bool allow(scmp_filter_ctx filter, const int *calls, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) != 0) return false;
  return true;
}

static bool limit_calls(bool with_files) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (!filter) return false;
  bool is_made = allow(filter, CALLS, sizeof CALLS / sizeof *CALLS);
  if (with_files) is_made &= allow(filter, FILE_CALLS, sizeof FILE_CALLS / sizeof *FILE_CALLS);
  for (size_t i = 0; i < sizeof DESCRIPTOR_COMMANDS / sizeof *DESCRIPTOR_COMMANDS; i++)
    is_made &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
      SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)DESCRIPTOR_COMMANDS[i])) == 0;
  is_made &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(memfd_create), 1,
    SCMP_A1(SCMP_CMP_EQ, MFD_CLOEXEC | MFD_ALLOW_SEALING)) == 0;
  // What the C library has for fstat.
  if (!with_files)
    is_made &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1,
      SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH)) == 0;
  // Memory that can be executed would be code of the file's making.
  is_made &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
    SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0;
  is_made &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
    SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0;
  // Threads, and no processes; the flags of clone3 are behind a pointer, and without it the C library
  // takes clone.
  is_made &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
    SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)) == 0;
  is_made &= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
  is_made &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1,
    SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME)) == 0;
  is_made &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
    SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid())) == 0;
  is_made &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
    SCMP_A0(SCMP_CMP_EQ, 0)) == 0;
  // Threads that a library has started already, too.
  (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  is_made = is_made && seccomp_load(filter) == 0;
  seccomp_release(filter);
  return is_made;
}

static void limit(__rlimit_resource_t kind, rlim_t most) {
  struct rlimit current;
  if (getrlimit(kind, &current) != 0) return;
  if (most > current.rlim_max) most = current.rlim_max;
  (void)setrlimit(kind, &(struct rlimit){most, most});
}

bool ikran_sandbox_enter(
  const char *const *folders, int folder_count, size_t address_bytes) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 32);
  limit(RLIMIT_FSIZE, (rlim_t)1 << 31);
  if (address_bytes) limit(RLIMIT_AS, address_bytes);
  // Where memory is short, the kernel ends a decoder, not the program that it works for.
  int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    if (write(score, "1000", 4) != 4) errno = 0;
    close(score);
  }
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return limit_calls(limit_files(folders, folder_count));
}

void ikran_sandbox_allow_seconds(unsigned seconds) {
  struct rusage used;
  struct rlimit current;
  if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &current) != 0) return;
  rlim_t sum = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 2 + seconds;
  if (current.rlim_max == RLIM_INFINITY || sum < current.rlim_max) current.rlim_cur = sum;
  (void)setrlimit(RLIMIT_CPU, &current);
}

// The C library fills what it allocates with the complement of this byte.
void ikran_clear_allocations(bool clears) { mallopt(M_PERTURB, clears ? 0xFF : 0); }

bool ikran_has_sanitizer(void) {
#if defined(__has_feature)
  return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
  return false;
#endif
}
