# SPDX-License-Identifier: Apache-2.0
"""Writes expected.json: every value of the YAML files beside this script as OmegaConf resolves it."""
import json
import os
from pathlib import Path

import omegaconf
from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import InterpolationToMissingValueError, MissingMandatoryValue

here = Path(__file__).parent
# as NeMo's examples/asr/speech_multitask/speech_to_text_aed.py does
OmegaConf.register_new_resolver("multiply", lambda x, y: x * y)


def leaf(value):
    if value is None:
        return ["null", ""]
    if isinstance(value, bool):
        return ["bool", "true" if value else "false"]
    if isinstance(value, (int, float, str)):
        return [type(value).__name__, str(value)]
    raise TypeError(type(value))


def walk(node, path, out):
    keys = list(node.keys()) if isinstance(node, DictConfig) else list(range(len(node)))
    if not keys:
        out.append([path, "empty", ""])
    for key in keys:
        at = path + [str(key)]
        if not at[0] == "hydra":
            try:
                value = node[key]
            except (MissingMandatoryValue, InterpolationToMissingValueError):
                out.append([at, "missing", ""])
                continue
            except (omegaconf.errors.OmegaConfBaseException, RecursionError):
                out.append([at, "error", ""])
                continue
            if isinstance(value, (dict, list)):  # of a resolver
                value = OmegaConf.create(value)
            if isinstance(value, (DictConfig, ListConfig)):
                walk(value, at, out)
            else:
                out.append([at] + leaf(value))


os.environ["CONF_SET"] = "7"
os.environ.pop("CONF_UNSET", None)
files = {}
for file in sorted(here.glob("*.yaml")):
    values = []
    walk(OmegaConf.load(file), [], values)
    files[file.name] = values
text = json.dumps({"omegaconf": omegaconf.__version__, "files": files}, ensure_ascii=False)
(here / "expected.json").write_text(text.replace("[[", "\n[[").replace("], [[", "],\n[[") + "\n")
