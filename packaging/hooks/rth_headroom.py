"""Runs in the bundle before the program. Other programs started from it get the system's libraries, not the bundle's
(the loader has read LD_LIBRARY_PATH already; what is in it now only reaches processes started from here). And where
there is no stdout or stderr, nothing else may come to lie in their places and be written into by C code.
"""

import os
import sys

if sys.platform == "linux":
    _before = os.environ.get("LD_LIBRARY_PATH_ORIG")
    if _before:
        os.environ["LD_LIBRARY_PATH"] = _before
    else:
        os.environ.pop("LD_LIBRARY_PATH", None)

if os.name == "posix":
    for _number in range(3):
        try:
            os.fstat(_number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one
