"""What the stages of a job are called, once for the window and the command line."""

from __future__ import annotations

from collections.abc import Mapping

from app.core.messages import Phase
from app.core.text import Text, say

PHASES: Mapping[Phase, Text] = {
    Phase.LOAD: say("core", "Loading the model"),
    Phase.ENCODE: say("core", "Reading the prompt"),
    Phase.DENOISE: say("core", "Denoising"),
    Phase.DECODE: say("core", "Decoding the picture"),
    Phase.WRITE: say("core", "Writing the file"),
}
