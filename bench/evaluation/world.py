"""The files and the environment that programs find in the table `coverage`: those of a small system."""

FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\nbin:x:2:2:bin:/bin:/usr/sbin/nologin\n",
    "etc/group": "root:x:0:\ndaemon:x:1:\nbin:x:2:root\n",
    "etc/mtab": "/dev/sda1 / ext4 rw 0 0\ntmpfs /tmp tmpfs rw,nosuid 0 0\nproc /proc proc rw 0 0\nhost:/home /d nfs ro 0 0\n",
    "a": "one\ntwo\nthree\n",
    "b": "",
    "c d": "x y\n",
    "d/e": "four",
    "p": "#!/bin/sh\n",
    "s": "",
    "u": "secret",
}
FOLDERS = ["o", "tmp"]
LINKS = {"l": "a", "x": "none"}
HARD_LINKS = {"h": "a"}
# A program, one that changes its user and group, a file that nobody may read, folders that everybody may write.
MODES = {"p": 0o755, "s": 0o6755, "u": 0, "o": 0o777, "tmp": 0o1777}
VARIABLES = ["TERM=xterm", "LS_COLORS=rs=0:di=01;34:ln=01;36:or=40;31;01:ex=01;32:*.gz=01;31:*.c=^["]


def make(folder):
    """Makes the files in a folder, if it is not there yet."""
    if folder.exists():
        return
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
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
