#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command on a terminal of its own and prints what the terminal got, as it came.

	on_terminal.py COLUMNSxROWS [--type WORDS KEYS]... COMMAND [ARGUMENT]...

--type waits until the terminal got the WORDS and then types the KEYS.  Line ends are those of a
file.  Exits as the command does: 128 and the number where a signal ended it, 99 where it took more
than 30 seconds."""
import fcntl, os, pty, select, struct, sys, termios, time


def start(columns, rows, command):
	pid, terminal = pty.fork()
	if pid == 0:
		size = struct.pack("HHHH", rows, columns, 0, 0)
		fcntl.ioctl(0, termios.TIOCSWINSZ, size)
		os.execvp(command[0], command)
	return pid, terminal


def read(terminal, typing):
	"""All that comes until the end; None where that takes too long."""
	got, looked, end = b"", 0, time.monotonic() + 30
	while time.monotonic() < end:
		if not select.select([terminal], [], [], 1)[0]:
			continue
		try:
			some = os.read(terminal, 65536)
		except OSError:  # of Linux, when nobody has the other side open
			some = b""
		if not some:
			return got
		got += some
		while typing and typing[0][0] in got[looked:]:
			looked = got.index(typing[0][0], looked) + len(typing[0][0])
			os.write(terminal, typing.pop(0)[1])
	return None


def main(arguments):
	columns, rows = map(int, arguments.pop(0).split("x"))
	typing = []
	while arguments[0] == "--type":
		typing.append((arguments[1].encode(), arguments[2].encode()))
		del arguments[:3]
	pid, terminal = start(columns, rows, arguments)
	got = read(terminal, typing)
	if got is None:
		os.kill(pid, 9)
		os.waitpid(pid, 0)
		return 99
	sys.stdout.buffer.write(got.replace(b"\r\n", b"\n"))
	code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
	return code if code >= 0 else 128 - code


sys.exit(main(sys.argv[1:]))
