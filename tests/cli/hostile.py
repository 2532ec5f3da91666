"""Somebody hostile in a folder that is open to others.  The arguments: what to do, the folder, what is
theirs.  Runs until it is killed."""
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(1, 9)  # it dies with the test


def exchange(a, b):
    libc.renameat2(-100, a.encode(), -100, b.encode(), 2)


def attempt(call, *arguments):
    try:
        call(*arguments)
    except OSError:
        pass


def plant(folder, victim, names):
    """Links to the victim under every name that can be guessed."""
    last = int(open("/proc/loadavg").read().split()[4])
    for name in names:
        attempt(os.symlink, victim, os.path.join(folder, name))
        for pid in range(last, last + 3000):
            attempt(os.symlink, victim, os.path.join(folder, f"{name}.tmp-{pid}"))


def replace(folder, victim):
    """Whatever is new becomes a link to the victim, and a folder becomes a folder with their files."""
    known = set(os.listdir(folder))
    print("ready", flush=True)
    while True:
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if name in known or not name.startswith((".evenhand-", "evenhand-")):
                continue
            known.add(name)
            attempt(os.rename, path, path + ".taken")
            known.add(name + ".taken")
            if os.path.isdir(path + ".taken"):
                attempt(os.mkdir, path, 0o755)
                for theirs in "kernel.c", "kernel.so":
                    attempt(os.symlink, os.path.join(victim, theirs), os.path.join(path, theirs))
            else:
                attempt(os.symlink, os.path.join(victim, "canary"), path)


def lead(folder, victim):
    """Every new folder becomes a link to the victim."""
    print("ready", flush=True)
    while True:
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if name.endswith(".taken") or os.path.islink(path) or not os.path.isdir(path):
                continue
            attempt(os.rename, path, path + ".taken")
            attempt(os.symlink, victim, path)


def swap(folder, _):
    """The good folder and theirs change places."""
    print("ready", flush=True)
    while True:
        exchange(os.path.join(folder, "good"), os.path.join(folder, "evil"))


if sys.argv[1] == "plant":
    plant(sys.argv[2], sys.argv[3], sys.argv[4:])
else:
    {"replace": replace, "lead": lead, "swap": swap}[sys.argv[1]](sys.argv[2], sys.argv[3])
