"""Becomes what an engine is when it is ready, for every family, and prints the modules that it has loaded.

Run in a process of its own by bundle_contents.loaded; reads no model.
"""

from __future__ import annotations

import importlib
import json
import sys

LATE = (
    # what the engine or the libraries import only once a job wants it
    "diffusers.hooks",
    "diffusers.image_processor",
    "diffusers.loaders.single_file",
    "diffusers.loaders.single_file_utils",
    "diffusers.utils.torch_utils",
    "google.protobuf",
    "peft",
    "peft.utils.transformers_weight_conversion",
    "sentencepiece.sentencepiece_model_pb2",
    "app.engine.dry_run",
    "app.engine.runner",
)


def main() -> int:
    """Imports, resolves the classes that the families declare, prints."""
    from app.engine.server import PACKAGES
    from app.families import all_families

    for name in (*PACKAGES, *LATE):
        importlib.import_module(name)
    libraries = [importlib.import_module(name) for name in ("diffusers", "transformers")]
    for family in all_families().values():
        for name in (*family.pipelines, *(name for names in family.classes.values() for name in names)):
            if not any(getattr(library, name, None) for library in libraries):
                raise SystemExit(f"{family.id} declares {name}, which neither diffusers nor transformers has")
    print(json.dumps(sorted(name for name in sys.modules if name != "__main__")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
