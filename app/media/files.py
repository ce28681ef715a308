"""Puts finished bytes on disk under a name of their own: exclusive, synced, never over another file.

Knows nothing of pictures. A half-written file is ``.NAME.part.SUFFIX``, locked by its writer while it lives.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat
import sys
from pathlib import Path

from app.core.errors import AppError, ErrorKind
from app.media.names import NAME_BYTES, numbered, temporary

if sys.platform != "win32":
    import fcntl

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}
_MISSING = {errno.ENOENT, errno.ELOOP}
# what file systems without hard links answer to link()
_NO_LINKS = {
    errno.EPERM,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.ENOSYS,
    errno.EXDEV,
    errno.EMLINK,
    errno.EACCES,
}
_EXCLUSIVE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def write_new(target: Path, data: bytes, *, overwrite: bool = False) -> Path:
    """Writes ``data`` as ``target``, or as the next free ``target-2`` … ; returns the path written.

    With ``overwrite`` (the person said so) an existing file is replaced in one step. Raises AppError.
    """
    try:
        check_folder(target.parent)
        longest = longest_name(target.parent)
        handle, temp = _open_temporary(target, longest)
        try:
            try:
                _write_all(handle, data)
                os.fsync(handle)
                if sys.platform != "win32":  # where the lock can be held until the end
                    written = _overwrite(temp, target) if overwrite else _land(temp, target, longest)
            finally:
                os.close(handle)
            if sys.platform == "win32":  # where an open file cannot be renamed
                written = _overwrite(temp, target) if overwrite else _land(temp, target, longest)
        except BaseException:
            temp.unlink(missing_ok=True)
            raise
        sync_folder(target.parent)
    except OSError as error:
        raise as_app_error(error, target) from error
    return written


def check_folder(folder: Path) -> None:
    """Raises AppError when ``folder`` is not there or is no folder."""
    try:
        mode = folder.stat().st_mode
    except OSError as error:
        raise as_app_error(error, folder / "x") from error
    if not stat.S_ISDIR(mode):
        raise AppError(ErrorKind.FOLDER_IS_FILE, path=str(folder))


def check_writable(folder: Path) -> None:
    """Raises AppError when no file of some size can be made in ``folder``: asked before a job runs."""
    check_folder(folder)
    probe = folder / "headroom-check.png"
    try:
        handle, temp = _open_temporary(probe, NAME_BYTES)
        try:
            _write_all(handle, bytes(64 * 1024))
            os.fsync(handle)
        finally:
            os.close(handle)
            temp.unlink(missing_ok=True)
    except OSError as error:
        raise as_app_error(error, probe) from error


def check_name(path: Path) -> None:
    """Raises NAME_TOO_LONG when a file cannot have this name: asked before a job runs, for a name typed."""
    if len(path.name.encode("utf-8", "surrogatepass")) > longest_name(path.parent):
        raise AppError(ErrorKind.NAME_TOO_LONG, path=str(path))


def longest_name(folder: Path) -> int:
    """How many bytes a file's name may have in ``folder``: less than usual where names are encrypted."""
    if sys.platform == "win32":
        return NAME_BYTES
    try:
        limit = os.pathconf(folder, "PC_NAME_MAX")
    except (OSError, ValueError):
        return NAME_BYTES
    return min(limit, NAME_BYTES) if limit > 0 else NAME_BYTES


def as_app_error(error: OSError, target: Path) -> AppError:
    """What went wrong while writing ``target``, as a kind that people are told of."""
    if error.errno in _FULL:
        kind = ErrorKind.DISK_FULL
    elif error.errno in _READ_ONLY:
        kind = ErrorKind.FOLDER_READ_ONLY
    elif error.errno == errno.ENOTDIR:
        kind = ErrorKind.FOLDER_IS_FILE
    elif error.errno in _MISSING:
        folder = target.parent
        if error.errno == errno.ENOENT and folder.is_absolute() and folder.is_dir():  # such as /proc
            return AppError(ErrorKind.FOLDER_READ_ONLY, repr(error), path=str(folder), case="refuses")
        kind = ErrorKind.FOLDER_MISSING
    elif error.errno == errno.ENAMETOOLONG:
        kind = ErrorKind.NAME_TOO_LONG
    else:
        kind = ErrorKind.WRITE_FAILED
    folder_kinds = (ErrorKind.FOLDER_MISSING, ErrorKind.FOLDER_READ_ONLY, ErrorKind.FOLDER_IS_FILE)
    path = target.parent if kind in folder_kinds else target
    return AppError(kind, detail=repr(error), path=str(path))


def sync_folder(folder: Path) -> None:
    """Makes a new name survive a power cut, where the system lets folders be synced."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def is_being_written(path: Path) -> bool:
    """Whether a living program still writes the temporary file ``path``."""
    if sys.platform == "win32":
        return False  # there an open file cannot be deleted anyway
    try:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        return not _lock(handle)
    finally:
        os.close(handle)


def _open_temporary(target: Path, longest: int) -> tuple[int, Path]:
    for number in itertools.count(1):
        temp = temporary(target, number, longest)
        try:
            handle = os.open(temp, _EXCLUSIVE, 0o666)
        except FileExistsError:
            continue
        # the cleaner of leftovers may have removed it before the lock was ours
        if _lock(handle) and (sys.platform == "win32" or os.fstat(handle).st_nlink > 0):
            return handle, temp
        os.close(handle)
    raise AssertionError("unreachable")


def _lock(handle: int) -> bool:
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return True


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _land(temp: Path, target: Path, longest: int) -> Path:
    """Moves ``temp`` to the first free name, without a moment in which another file could be overwritten."""
    for number in itertools.count(1):
        path = numbered(target, number, longest)
        try:
            _rename_exclusive(temp, path)
        except FileExistsError:
            continue
        return path
    raise AssertionError("unreachable")


def _rename_exclusive(temp: Path, path: Path) -> None:
    if sys.platform == "win32":
        temp.rename(path)  # refuses an existing name there
        return
    try:
        os.link(temp, path)
    except OSError as error:
        if isinstance(error, FileExistsError) or error.errno not in _NO_LINKS:
            raise
        _claim_and_replace(temp, path)
    else:
        temp.unlink()


def _claim_and_replace(temp: Path, path: Path) -> None:
    """For file systems without hard links: an empty file claims the name, the picture takes its place."""
    os.close(os.open(path, _EXCLUSIVE, 0o666))
    try:
        temp.replace(path)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _overwrite(temp: Path, target: Path) -> Path:
    temp.replace(target)
    return target
