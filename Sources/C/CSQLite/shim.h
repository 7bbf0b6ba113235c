#pragma once
#include <sqlite3.h>

/// Leaves out SQLite's count of its own memory, which takes a lock for each allocation; Swift cannot call
/// a variadic function. It fails where a program has used SQLite before, and everything works all the same.
static inline int ikran_sqlite_leave_out_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
