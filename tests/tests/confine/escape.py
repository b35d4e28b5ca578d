"""Tries to write outside of a workspace, to change what is kept inside of it, and to read what is hidden.

Arguments: the workspace, the folder outside, the hidden folder, the process outside, its open descriptor.
Prints one line an attempt: its name, and `through` or why not. Every attempt has a process of its own.
"""

import ctypes
import mmap
import os
import socket
import stat
import struct
import sys

work, outside, hidden = sys.argv[1], sys.argv[2], sys.argv[3]
outsider, descriptor = int(sys.argv[4]), int(sys.argv[5])
canary = outside + "/canary"
secret = hidden + "/secret"
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def call(number, *arguments):
    """A system call, or its error."""
    result = libc.syscall(number, *arguments)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def c(function, *arguments):
    """A function of the C library, or its error."""
    if function(*arguments) < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def text(path):
    return path.encode()


def write(path, flags=os.O_WRONLY):
    fd = os.open(path, flags, 0o644)
    os.write(fd, b"overwritten")
    os.close(fd)


def new(path):
    write(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)


def mine(name="mine"):
    """A file in the workspace."""
    path = work + "/" + name + str(os.getpid())
    new(path)
    return path


def read(path):
    with open(path, "rb") as file:
        if b"planted" not in file.read():
            raise OSError(0, "empty")


ATTEMPTS = []


def attempt(function):
    ATTEMPTS.append(function)
    return function


@attempt
def open_to_write():
    write(canary)


@attempt
def open_to_append():
    write(canary, os.O_WRONLY | os.O_APPEND)


@attempt
def open_and_truncate():
    os.close(os.open(canary, os.O_WRONLY | os.O_TRUNC))


@attempt
def open_to_read_and_truncate():
    os.close(os.open(canary, os.O_RDONLY | os.O_TRUNC))


@attempt
def truncate():
    os.truncate(canary, 0)


@attempt
def create():
    new(outside + "/new")


@attempt
def make_folder():
    os.mkdir(outside + "/new")


@attempt
def remove_folder():
    os.rmdir(outside + "/empty")


@attempt
def remove():
    os.unlink(canary)


@attempt
def rename_out():
    os.rename(canary, work + "/stolen")


@attempt
def rename_in():
    os.rename(mine(), outside + "/new")


@attempt
def rename_over():
    os.rename(mine(), canary)


@attempt
def exchange():
    call(316, -100, text(mine()), -100, text(canary), 2)


@attempt
def rename_the_workspace():
    os.rename(work, work + "2")


@attempt
def link_in():
    os.link(mine(), outside + "/new")


@attempt
def link_out_and_write():
    path = work + "/linked"
    os.link(canary, path)
    write(path)


@attempt
def link_of_the_link():
    path = work + "/of-link"
    os.symlink(canary, path)
    os.link(path, work + "/linked2", follow_symlinks=True)
    write(work + "/linked2")


@attempt
def symlink_to_file():
    path = work + "/to-file"
    os.symlink(canary, path)
    write(path)


@attempt
def symlink_to_folder():
    path = work + "/to-folder"
    os.symlink(outside, path)
    new(path + "/new")


@attempt
def symlink_outside():
    os.symlink("/", outside + "/new")


@attempt
def by_dots():
    new(work + "/../" + os.path.basename(outside) + "/new")


@attempt
def by_proc_root():
    new("/proc/self/root" + outside + "/new")


@attempt
def by_proc_cwd():
    os.chdir(work)
    new("/proc/self/cwd/../" + os.path.basename(outside) + "/new")


@attempt
def by_first_process():
    new("/proc/1/root" + outside + "/new")


@attempt
def by_root_of_outsider():
    new("/proc/%d/root%s/new" % (outsider, outside))


@attempt
def by_change_of_folder():
    os.chdir(outside)
    new("new")


@attempt
def by_descriptor_of_folder():
    folder = os.open(outside, os.O_RDONLY | os.O_DIRECTORY)
    os.close(os.open("new", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=folder))


@attempt
def by_path_descriptor():
    fd = os.open(canary, os.O_PATH)
    write("/proc/self/fd/%d" % fd)


@attempt
def by_reading_descriptor():
    fd = os.open(canary, os.O_RDONLY)
    write("/dev/fd/%d" % fd)


@attempt
def by_descriptor_of_outsider():
    write("/proc/%d/fd/%d" % (outsider, descriptor))


@attempt
def by_taken_descriptor():
    pidfd = call(434, outsider, 0)
    os.write(call(438, pidfd, descriptor, 0), b"overwritten")


@attempt
def by_handle():
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount = ctypes.c_int()
    call(303, -100, text(canary), handle, ctypes.byref(mount), 0)
    folder = os.open(outside, os.O_RDONLY)
    fd = call(304, folder, handle, os.O_WRONLY)
    os.write(fd, b"overwritten")


@attempt
def by_shared_memory():
    fd = os.open(canary, os.O_RDONLY)
    shared = mmap.mmap(fd, 4, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
    shared[0:4] = b"over"


@attempt
def by_ring():
    parameters = ctypes.create_string_buffer(120)
    ring = call(425, 4, parameters)
    words = struct.unpack("30I", parameters.raw)
    entries, sq, cq = words[0], words[10:20], words[20:30]
    flags, prot = mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE
    sq_ring = mmap.mmap(ring, sq[6] + entries * 4, flags, prot, offset=0)
    cq_ring = mmap.mmap(ring, cq[5] + words[1] * 16, flags, prot, offset=0x8000000)
    sqes = mmap.mmap(ring, entries * 64, flags, prot, offset=0x10000000)
    path = ctypes.create_string_buffer(text(outside + "/new"))
    sqes[0:64] = struct.pack(
        "BBHiQQIIQHHIQQ", 18, 0, 0, -100, 0, ctypes.addressof(path), 0o644,
        os.O_WRONLY | os.O_CREAT, 7, 0, 0, 0, 0, 0)
    sq_ring[sq[6]:sq[6] + 4] = struct.pack("I", 0)
    sq_ring[sq[1]:sq[1] + 4] = struct.pack("I", 1)
    call(426, ring, 1, 1, 1, None, 0)
    result = struct.unpack("i", cq_ring[cq[5] + 8:cq[5] + 12])[0]
    if result < 0:
        raise OSError(-result, os.strerror(-result))


@attempt
def by_memory_file():
    fd = os.memfd_create("m")
    os.write(fd, b"overwritten")
    call(265, -100, text("/proc/self/fd/%d" % fd), -100, text(outside + "/new"), 0x400)


@attempt
def by_nameless_file():
    fd = os.open(outside, os.O_TMPFILE | os.O_WRONLY, 0o644)
    call(265, -100, text("/proc/self/fd/%d" % fd), -100, text(outside + "/new"), 0x400)


@attempt
def by_nameless_file_inside():
    fd = os.open(work, os.O_TMPFILE | os.O_WRONLY, 0o644)
    call(265, -100, text("/proc/self/fd/%d" % fd), -100, text(outside + "/new"), 0x400)


@attempt
def pipe_outside():
    os.mkfifo(outside + "/new")


@attempt
def plain_node_outside():
    os.mknod(outside + "/new", stat.S_IFREG | 0o644)


@attempt
def device_inside():
    os.mknod(work + "/disk", stat.S_IFBLK | 0o600, os.makedev(254, 0))


@attempt
def character_device_inside():
    os.mknod(work + "/memory", stat.S_IFCHR | 0o600, os.makedev(1, 1))


@attempt
def disk():
    name = sorted(os.listdir("/sys/block"))[-1]
    os.close(os.open("/dev/" + name, os.O_RDWR))


@attempt
def read_terminal_of_outsider():
    for name in os.listdir("/dev/pts"):
        os.close(os.open("/dev/pts/" + name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))


@attempt
def read_device():
    os.close(os.open("/dev/ptmx", os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))


@attempt
def setting_of_the_kernel():
    os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))


@attempt
def socket_outside():
    socket.socket(socket.AF_UNIX).bind(outside + "/new")


@attempt
def abstract_socket_of_outsider():
    socket.socket(socket.AF_UNIX).connect("\0confine-%d" % outsider)


@attempt
def socket_of_outsider():
    socket.socket(socket.AF_UNIX).connect(outside + "/socket")


@attempt
def hidden_socket_of_outsider():
    socket.socket(socket.AF_UNIX).connect(hidden + "/socket")


@attempt
def change_mode():
    os.chmod(canary, 0o666)


@attempt
def change_owner():
    os.chown(canary, os.getuid(), os.getgid())


@attempt
def change_times():
    os.utime(canary, (0, 0))


@attempt
def set_attribute():
    os.setxattr(canary, "user.outside", b"1")


@attempt
def set_flags():
    fd = os.open(canary, os.O_RDONLY)
    call(16, fd, 0x40086602, ctypes.byref(ctypes.c_long(0x40)))


@attempt
def trace():
    c(libc.ptrace, 0x4206, outsider, 0, 0)


@attempt
def write_memory():
    fd = os.open("/proc/%d/mem" % outsider, os.O_RDWR)
    os.close(fd)


@attempt
def signal():
    os.kill(outsider, 0)


@attempt
def join_namespace():
    fd = os.open("/proc/%d/ns/mnt" % outsider, os.O_RDONLY)
    c(libc.setns, fd, 0)
    new(outside + "/new")


@attempt
def mount_over():
    os.mkdir(work + "/point")
    c(libc.mount, text(outside), text(work + "/point"), None, 4096, None)
    new(work + "/point/new")


@attempt
def mount_tmpfs():
    c(libc.mount, b"tmpfs", text(outside), b"tmpfs", 0, None)


@attempt
def mount_again():
    c(libc.mount, None, b"/", None, 4096 | 32, None)
    new(outside + "/new")


@attempt
def mount_in_new_namespace():
    c(libc.unshare, 0x10000000 | 0x00020000)
    c(libc.mount, None, b"/", None, 4096 | 32, None)
    new(outside + "/new")


@attempt
def mount_by_new_calls():
    tree = call(428, -100, text(outside), 1)
    os.mkdir(work + "/tree")
    call(429, tree, b"", -100, text(work + "/tree"), 4)
    new(work + "/tree/new")


@attempt
def write_in_detached_tree():
    tree = call(428, -100, text(outside), 1)
    call(442, tree, b"", 0x1000, struct.pack("QQQQ", 0, 1, 0, 0), 32)
    os.close(os.open("new", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=tree))


@attempt
def other_root():
    os.chroot(work)
    new("../" + os.path.basename(outside) + "/new")


@attempt
def pivot():
    os.mkdir(work + "/old")
    call(155, text(work), text(work + "/old"))
    new("/old" + outside + "/new")


@attempt
def kept_file():
    write(work + "/.git/config")


@attempt
def kept_file_replaced():
    os.rename(mine(), work + "/.git/config")


@attempt
def kept_file_removed():
    os.unlink(work + "/.git/config")


@attempt
def kept_folder():
    new(work + "/.git/hooks/pre-commit")


@attempt
def kept_folder_renamed():
    os.rename(work + "/.git/hooks", work + "/.git/other")


@attempt
def folder_of_kept_renamed():
    os.rename(work + "/.git", work + "/other")


@attempt
def kept_uncovered():
    c(libc.umount2, text(work + "/.git/hooks"), 2)
    new(work + "/.git/hooks/pre-commit")


@attempt
def read_hidden():
    read(secret)


@attempt
def read_hidden_by_symlink():
    os.symlink(secret, work + "/secret")
    read(work + "/secret")


@attempt
def read_hidden_by_link():
    os.link(secret, work + "/secret-link")
    read(work + "/secret-link")


@attempt
def read_hidden_by_proc():
    read("/proc/self/root" + secret)


@attempt
def read_hidden_of_outsider():
    read("/proc/%d/root%s" % (outsider, secret))


@attempt
def read_hidden_uncovered():
    c(libc.umount2, text(hidden), 2)
    read(secret)


@attempt
def read_hidden_in_new_namespace():
    c(libc.unshare, 0x10000000 | 0x00020000)
    c(libc.umount2, text(hidden), 2)
    read(secret)


@attempt
def read_hidden_file():
    read(outside + "/hidden-file")


@attempt
def environment_of_outsider():
    with open("/proc/%d/environ" % outsider, "rb") as file:
        file.read()


def outcome(function):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            function()
            said = "through"
        except OSError as error:
            said = error.strerror
        except BaseException as error:
            said = "broken: %r" % error
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    said = os.read(reader, 4096).decode() or "died"
    os.close(reader)
    os.waitpid(child, 0)
    return said


# What is wanted for is done inside: else nothing would say that the program can work at all.
new(work + "/made")
os.rename(work + "/made", work + "/moved")
os.unlink(work + "/moved")
os.mkdir(work + "/folder")
os.rmdir(work + "/folder")
open("/dev/null", "w").close()
assert open(canary).read() == "canary"

for function in ATTEMPTS:
    print(function.__name__ + ": " + outcome(function), flush=True)
