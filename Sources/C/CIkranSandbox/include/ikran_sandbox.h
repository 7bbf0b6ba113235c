#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// Decision 79: what a decoder in another process needs of the system, and Swift cannot call: variadic
// functions, and macros of control messages. Each function that returns an int gives -errno on failure.

/// Makes two ends of a channel of messages.
int ikran_channel_pair(int *_Nonnull ends);

/// Sends a message, with a descriptor unless `passed` is negative; false when the other end is gone.
bool ikran_channel_send(
  int channel, const void *_Nonnull message, size_t bytes, int passed);

/// Receives a message; `passed` is the descriptor that came with it, or -1. It returns the bytes, 0 when
/// the other end is gone.
ssize_t ikran_channel_receive(
  int channel, void *_Nonnull message, size_t bytes, int *_Nonnull passed);

/// Makes a descriptor that can be read once a number has been written to it, and does not block.
int ikran_interrupt_create(void);

/// Makes memory that can be shared, of zeros, which may grow and never shrinks.
int ikran_memory_create(size_t bytes);

/// Makes memory of another process keep its size; its bytes, negative when it cannot be relied on.
ssize_t ikran_memory_fix(int memory);

/// Writes into memory that is not mapped: the kernel neither clears nor maps its pages before. False when
/// there is none.
bool ikran_memory_write(int memory, const void *_Nonnull bytes, size_t count);

/// Makes memory larger; false when there is none.
bool ikran_memory_grow(int memory, size_t bytes);

/// Gives the system back what lies behind the first `kept` bytes.
void ikran_memory_release(int memory, size_t kept, size_t bytes);

/// Starts a program with the channel as descriptor 3, the memory as descriptor 4, and nothing else; both
/// must be above 4. It returns the process, and a descriptor of it, or -1 where the kernel has none.
int ikran_program_start(
  const char *_Nonnull path,
  char *_Nullable const *_Nonnull environment,
  int channel,
  int memory,
  int *_Nonnull handle);

/// Kills a process by its descriptor; by its number where there is none.
void ikran_program_kill(pid_t process, int handle);

/// Seals this process off until it ends: no network, no other program, no file but those below `folders`,
/// which are only read; `address_bytes` of address space, 0 for as much as there is. Without Landlock no file
/// is opened. False where the kernel does not limit calls.
bool ikran_sandbox_enter(
  const char *_Nonnull const *_Nonnull folders, int folder_count, size_t address_bytes);

/// Ends this process by a signal once it has used so many more seconds of the processor.
void ikran_sandbox_allow_seconds(unsigned seconds);

/// Whether memory that libraries allocate from now on has zeros, not what was there before.
void ikran_clear_allocations(bool clears);

/// Whether this build has a sanitizer, which needs terabytes of address space.
bool ikran_has_sanitizer(void);
