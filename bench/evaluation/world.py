"""The files and the environment that programs find in the table `coverage`: those of a small system."""

import hashlib
import struct

LINES = "one\ntwo\nthree\n"


def login(kind, line="", name="", host="", of="", pid=100, seconds=946_684_000):
    """A record of /var/run/utmp, as glibc writes it: `kind` is its type, `of` the id of its process."""
    texts = [text.encode() for text in (line, of, name, host)]
    return struct.pack("<hxxi32s4s32s256shhiii4i20x", kind, pid, *texts, 0, 0, 0, seconds, 0, 0, 0, 0, 0)


def checksums():
    """A file to check others by: for each algorithm a right line, a wrong one, one of BSD's kind, one of a file that is not there."""
    lines = ["# checksums", "no checksum"]
    for kind in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b"):
        right = hashlib.new(kind, LINES.encode()).hexdigest()
        name = {"blake2b": "BLAKE2b"}.get(kind, kind.upper())
        lines += [f"{right}  a", f"{right} *b", f"{name} (a) = {right}", f"{right}  none"]
    return "\n".join(lines) + "\n"


# Boot, run level, a changed clock, a process of init, one that waits for a login, two users, one who has left.
LOGINS = [
    login(2, "~", "reboot", of="~~", pid=0),
    login(1, "~", "runlevel", of="~~", pid=53),
    login(3, "~", "date", of="~~"),
    login(5, "tty2", of="2"),
    login(6, "tty3", "LOGIN", of="3"),
    login(7, "tty1", "root", of="1"),
    login(7, "pts/0", "daemon", "host:0", of="p0"),
    login(8, "pts/1", of="p1"),
]
FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\nbin:x:2:2:bin:/bin:/usr/sbin/nologin\n",
    "etc/group": "root:x:0:\ndaemon:x:1:\nbin:x:2:root\n",
    "etc/mtab": "/dev/sda1 / ext4 rw 0 0\ntmpfs /tmp tmpfs rw,nosuid 0 0\nproc /proc proc rw 0 0\nhost:/home /d nfs ro 0 0\n",
    "var/run/utmp": b"".join(LOGINS),
    "dev/tty1": "",
    "dev/pts/0": "",
    "proc/uptime": "1000.00 900.00\n",
    "root/.plan": "none\n",
    "root/.project": "this\nthat\n",
    "a": LINES,
    "b": "",
    "c d": "x y\n",
    "d/e": "four",
    "m": checksums(),
    "p": "#!/bin/sh\n",
    "s": "",
    "u": "secret",
}
FOLDERS = ["o", "tmp"]
LINKS = {"l": "a", "x": "none"}
HARD_LINKS = {"h": "a"}
# A program, one that changes its user and group, a file that nobody may read, folders that everybody may write.
MODES = {"dev/tty1": 0o620, "p": 0o755, "s": 0o6755, "u": 0, "o": 0o777, "tmp": 0o1777}
VARIABLES = ["TERM=xterm", "LS_COLORS=rs=0:di=01;34:ln=01;36:or=40;31;01:ex=01;32:*.gz=01;31:*.c=^["]


def make(folder):
    """Makes the files in a folder, if it is not there yet."""
    if folder.exists():
        return
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    for name in FOLDERS:
        (folder / name).mkdir()
    for name, to in LINKS.items():
        (folder / name).symlink_to(to)
    for name, to in HARD_LINKS.items():
        (folder / name).hardlink_to(folder / to)
    for name, mode in MODES.items():
        (folder / name).chmod(mode)


def options(folder):
    """Options of `cleave run` by which a program finds it all."""
    return ["--fs", f"{folder}:/", *[word for variable in VARIABLES for word in ("--set-env", variable)]]
