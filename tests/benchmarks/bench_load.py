"""Peak RSS of the engine while it loads a model, less its RSS before, over the weights' bytes. Prints JSON.

The model is an SDXL-like one of about 0.7 GiB with random float16 weights, made for the measurement.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]
os.environ.setdefault("OMP_NUM_THREADS", "1")

MAKE = """
import sys, json, shutil, torch
from pathlib import Path
from diffusers import UNet2DConditionModel
source, target = Path(sys.argv[1]), Path(sys.argv[2])
shutil.copytree(source, target)
config = json.loads((source / "unet" / "config.json").read_text())
config |= {"block_out_channels": [384, 768], "norm_num_groups": 32, "transformer_layers_per_block": 6,
           "attention_head_dim": 8, "layers_per_block": 2}
unet = UNet2DConditionModel.from_config(config).to(torch.float16)
shutil.rmtree(target / "unet")
unet.save_pretrained(target / "unet")
"""


def main() -> None:
    import psutil
    from programs import DEMO, engine, run_of

    from app.core.messages import Cancelled, Hello, Phase, Progress
    from app.core.plan import Dtype

    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model")
        subprocess.run([sys.executable, "-c", MAKE, str(DEMO), str(model)], check=True)
        weights = sum(file.stat().st_size for file in model.rglob("*.safetensors"))
        with engine() as running:
            process = max(psutil.Process().children(), key=lambda child: child.memory_info().rss)
            before, peak, done = process.memory_info().rss, [0], threading.Event()

            def watch() -> None:
                while not done.wait(0.003):
                    peak[0] = max(peak[0], process.memory_info().rss)

            watcher = threading.Thread(target=watch)
            watcher.start()
            running.send(run_of("load", model, Path(folder), steps=1, dtype=Dtype.FLOAT16))
            running.until(lambda event: isinstance(event, Progress) and event.phase is Phase.ENCODE)
            done.set()
            watcher.join()
            running.cancel("load")
            running.until(lambda event: isinstance(event, Cancelled | Hello))
    ratio = (peak[0] - before) / weights
    print(
        json.dumps(
            {"weights": weights, "rss_before": before, "rss_peak": peak[0], "ratio": round(ratio, 3)},
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
