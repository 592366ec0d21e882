# SPDX-License-Identifier: Apache-2.0
"""The recipe that rank 0 of a NeMo program writes. No NeMo is here: its objects are played."""
import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest import mock

import observed
from observed import needs

sys.path.insert(0, str(observed.OBSERVER))

from rankscope_observer.lightning import nemo  # noqa: E402

MODEL = {"sample_rate": 16000, "train_ds": {"sample_rate": "${..sample_rate}", "num_workers": 2}}


class DDPStrategy:
    def __init__(self, **arguments):
        self._ddp_kwargs = arguments


class SingleDeviceStrategy:
    pass


class OtherStrategy:
    pass


class CPUAccelerator:
    pass


def trainer(strategy):
    return SimpleNamespace(
        global_rank=0,
        max_steps=6,
        check_val_every_n_epoch=None,
        precision="32-true",
        limit_train_batches=1.0,
        limit_val_batches=1,
        num_devices=2,
        strategy=strategy,
        accelerator=CPUAccelerator(),
        callbacks=[object()],
        _accelerator_connector=SimpleNamespace(use_distributed_sampler=True, _layer_sync=object()),
    )


@needs("omegaconf")
class RecipeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name, nemo.FILE)
        played = ModuleType("nemo")
        played.__version__ = "3.0.1"
        for patch in (
            mock.patch.dict(os.environ, RANKSCOPE_RUN_DIR=folder.name),
            mock.patch.dict(sys.modules, nemo=played),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def written(self, strategy=DDPStrategy(), model=MODEL):
        from omegaconf import OmegaConf

        nemo.write_recipe(trainer(strategy), SimpleNamespace(cfg=OmegaConf.create(model)))
        return OmegaConf.to_container(OmegaConf.load(self.file))

    def test_the_keys_are_those_of_a_recipe(self):
        recipe = self.written()
        self.assertEqual(recipe["model"]["train_ds"], {"sample_rate": 16000, "num_workers": 2})
        self.assertEqual(
            recipe["trainer"],
            {
                "max_steps": 6,
                "check_val_every_n_epoch": None,
                "precision": 32,
                "limit_val_batches": 1,
                "use_distributed_sampler": True,
                "sync_batchnorm": True,
                "devices": 2,
                "strategy": "ddp",
                "accelerator": "cpu",
            },
        )
        self.assertEqual(recipe["rankscope"], {"nemo": "3.0.0"})
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        self.assertEqual(os.listdir(self.file.parent), [nemo.FILE])  # nothing is left beside it

    def test_strategies(self):
        unused = DDPStrategy(find_unused_parameters=True)
        for strategy, name in (
            (unused, "ddp_find_unused_parameters_true"),
            (SingleDeviceStrategy(), "auto"),
            (OtherStrategy(), "OtherStrategy"),
        ):
            self.assertEqual(self.written(strategy)["trainer"]["strategy"], name)

    def test_a_reference_that_leads_nowhere_is_kept(self):
        self.assertEqual(self.written(model={"a": "${nothing}"})["model"], {"a": "${nothing}"})

    def test_no_link_is_followed(self):
        elsewhere = self.file.with_name("elsewhere")
        elsewhere.write_text("mine")
        self.file.symlink_to(elsewhere)
        self.written()
        self.assertEqual(elsewhere.read_text(), "mine")
        self.assertFalse(self.file.is_symlink())


if __name__ == "__main__":
    unittest.main()
