#pragma once
#include "Types.h"

// pthread(3): libpthread sys/_pthread/_pthread_types.h · macOS 10.4, iOS 2.0
struct _opaque_pthread_t {
  long __sig;
  void *_Nullable __cleanup_stack;
  char __opaque[8176];
};
typedef struct {
  long __sig;
  char __opaque[56];
} pthread_attr_t;
typedef struct {
  long __sig;
  char __opaque[56];
} pthread_mutex_t;
typedef struct {
  long __sig;
  char __opaque[8];
} pthread_mutexattr_t;
typedef struct {
  long __sig;
  char __opaque[40];
} pthread_cond_t;
typedef struct {
  long __sig;
  char __opaque[8];
} pthread_condattr_t;
typedef unsigned long pthread_key_t;
typedef struct _opaque_pthread_t *pthread_t;

// pthread_create(3): libpthread include/pthread/pthread.h · macOS 10.4, iOS 2.0
int pthread_create(
  pthread_t _Nullable *_Nonnull thread, const pthread_attr_t *_Nullable attributes,
  void *_Nullable (*_Nonnull start)(void *_Nullable), void *_Nullable argument);
int pthread_detach(pthread_t _Nonnull thread);

// pthread_atfork(3): libpthread include/pthread/pthread.h · macOS 10.4, iOS 2.0
int pthread_atfork(
  void (*_Nullable before)(void), void (*_Nullable parent)(void), void (*_Nullable child)(void));

// pthread_setname_np(3): libpthread include/pthread/pthread.h · macOS 10.6, iOS 3.2
int pthread_setname_np(const char *_Nonnull name);

// pthread_mutex_lock(3): libpthread include/pthread/pthread.h · macOS 10.4, iOS 2.0
int pthread_mutex_init(
  pthread_mutex_t *_Nonnull mutex, const pthread_mutexattr_t *_Nullable attributes);
int pthread_mutex_destroy(pthread_mutex_t *_Nonnull mutex);
int pthread_mutex_lock(pthread_mutex_t *_Nonnull mutex);
int pthread_mutex_trylock(pthread_mutex_t *_Nonnull mutex);
int pthread_mutex_unlock(pthread_mutex_t *_Nonnull mutex);
int pthread_mutexattr_init(pthread_mutexattr_t *_Nonnull attributes);
int pthread_mutexattr_settype(pthread_mutexattr_t *_Nonnull attributes, int kind);
int pthread_mutexattr_destroy(pthread_mutexattr_t *_Nonnull attributes);

// pthread_cond_wait(3): libpthread include/pthread/pthread.h · macOS 10.4, iOS 2.0
int pthread_cond_init(
  pthread_cond_t *_Nonnull condition, const pthread_condattr_t *_Nullable attributes);
int pthread_cond_destroy(pthread_cond_t *_Nonnull condition);
int pthread_cond_wait(pthread_cond_t *_Nonnull condition, pthread_mutex_t *_Nonnull mutex);
int pthread_cond_signal(pthread_cond_t *_Nonnull condition);
int pthread_cond_broadcast(pthread_cond_t *_Nonnull condition);

// pthread_key_create(3): libpthread include/pthread/pthread.h · macOS 10.4, iOS 2.0
int pthread_key_create(pthread_key_t *_Nonnull key, void (*_Nullable destroy)(void *_Nonnull));
void *_Nullable pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *_Nullable value);

// sched_yield(2) · macOS 10.0, iOS 2.0
int sched_yield(void);

// sigprocmask(2), sigsetops(3): xnu bsd/sys/signal.h · macOS 10.4, iOS 2.0
int pthread_sigmask(int how, const sigset_t *_Nullable set, sigset_t *_Nullable old);
int sigfillset(sigset_t *_Nonnull set);
int sigdelset(sigset_t *_Nonnull set, int signal);
#define SIG_BLOCK 1
#define SIG_SETMASK 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGBUS 10
#define SIGSEGV 11
