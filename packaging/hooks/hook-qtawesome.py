"""PyInstaller's hook for qtawesome: of its nine icon fonts the one that the window draws with."""

from PyInstaller.utils.hooks import collect_data_files

datas = collect_data_files("qtawesome", includes=["fonts/phosphor*"])
