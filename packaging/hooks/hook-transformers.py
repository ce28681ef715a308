"""PyInstaller's hook for transformers: the one source file that it loads by path; headroom.spec says the rest.

Replaces the contributed hook, which takes the source of every model and the metadata of whatever is installed.
"""

from pathlib import Path

from PyInstaller.utils.hooks import get_package_paths

datas = [(str(Path(get_package_paths("transformers")[1]) / "__init__.py"), "transformers")]
