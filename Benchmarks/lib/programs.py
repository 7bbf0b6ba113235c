"""Programs that the proofs of ikran serve start, kill and start again."""

import os
import random
import signal
import socket
import subprocess
import threading
import time
import urllib.request


def free_port():
    """A port that no connection takes for its own end: those begin at 32768."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


def rclone():
    """The path of rclone, which Scripts/bootstrap installs; None where there is none."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    installed = os.path.join(caches, "ikran", "rclone-1.75.2", "bin", "rclone")
    for path in (os.environ.get("IKRAN_RCLONE"), installed):
        if path and os.access(path, os.X_OK):
            return path
    return None


class Program:
    """A program that listens to a port, with a log that stays when it is started again."""

    def __init__(self, name, words, port, log, environment=None):
        self.name, self.words, self.port, self.log = name, words, port, log
        self.environment = {**os.environ, **(environment or {})}
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.words, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        deadline = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{self.name} does not start; {self.last_words()}") from None
                time.sleep(0.02)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def drain(self, seconds):
        """Ends it by SIGTERM; returns its code, None where it had to be killed."""
        self.process.terminate()
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def stop(self):
        if self.process and self.process.poll() is None:
            self.signal(signal.SIGCONT)
            self.drain(10)

    def last_words(self):
        with open(self.log, "rb") as log:
            lines = log.read().decode(errors="replace").strip().splitlines()
        return f"its log ends: {' / '.join(lines[-3:])}"

    def megabytes(self):
        """Resident memory, with that of its children."""
        total, queue = 0, [self.process.pid]
        while queue:
            number = queue.pop()
            try:
                with open(f"/proc/{number}/status") as file:
                    total += sum(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
                with open(f"/proc/{number}/task/{number}/children") as file:
                    queue += [int(child) for child in file.read().split()]
            except OSError:
                pass
        return total / 1024


def origin(program, folder, count, max_age):
    """A server of portraits in several formats, and the URLs of these."""
    port = free_port()
    words = [program, "origin", "--count", str(count), "--port", str(port), "--etag"]
    words += ["--max-age", str(max_age)]
    server = Program("origin", words, port, os.path.join(folder, "origin.log")).start()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/list.txt", timeout=20) as response:
        return server, response.read().decode().split()


def service(name, program, folder, environment=None):
    """A service that is not started yet, whose cache is a folder of its name."""
    port = free_port()
    words = [program, "serve", "--unsigned", "--quiet", "--bind", f"127.0.0.1:{port}"]
    words += ["--cache", os.path.join(folder, name)]
    variables = {"IKRAN_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1", **(environment or {})}
    return Program(name, words, port, os.path.join(folder, f"{name}.log"), variables)


def watched(work, words, fault):
    """A thread that reports the exception it ends by: without it less is tested than is said."""

    def run():
        try:
            work(*words)
        except Exception as error:
            fault(f"{work.__name__} ended by {error!r}")

    return threading.Thread(target=run)
