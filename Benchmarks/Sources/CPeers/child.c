#define _GNU_SOURCE
#include "CPeers.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct peers_child {
  pid_t process;
  FILE *input;
  FILE *output;
};

peers_child *peers_child_start(char *const *arguments) {
  // Closed on exec: a child that held another child's input open would keep it from ending.
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0) return NULL;
  if (pipe2(from, O_CLOEXEC) != 0) {
    close(to[0]);
    close(to[1]);
    return NULL;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
  pid_t process;
  int failed = posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]);
  close(from[1]);
  peers_child *child = failed ? NULL : malloc(sizeof *child);
  if (child == NULL) {
    close(to[1]);
    close(from[0]);
    return NULL;
  }
  signal(SIGPIPE, SIG_IGN);
  child->process = process;
  child->input = fdopen(to[1], "w");
  child->output = fdopen(from[0], "r");
  return child;
}

bool peers_child_ask(peers_child *child, const char *line, char *answer, size_t capacity) {
  if (fprintf(child->input, "%s\n", line) < 0 || fflush(child->input) != 0) return false;
  return fgets(answer, (int)capacity, child->output) != NULL;
}

void peers_child_stop(peers_child *child) {
  fclose(child->input);
  fclose(child->output);
  waitpid(child->process, NULL, 0);
  free(child);
}
