# SPDX-License-Identifier: Apache-2.0
"""Trains NEST with NeMo, as the script for speech pre-training in NeMo's sources does, which its packages do not contain.

usage: nemo_pretraining.py --config-path=FOLDER --config-name=RECIPE [key=value …]
"""
import lightning.pytorch as pl
from nemo.collections.asr.models import EncDecDenoiseMaskedTokenPredModel
from nemo.core.config import hydra_runner
from nemo.utils.exp_manager import exp_manager
from nemo.utils.trainer_utils import resolve_trainer_cfg


@hydra_runner(config_path=".", config_name="recipe")
def main(recipe):
    settings = resolve_trainer_cfg(recipe.trainer)
    if "exp_manager" not in recipe:  # without it, nobody has asked for files in the working folder
        settings = {"logger": False, "enable_checkpointing": False, **settings}
    trainer = pl.Trainer(**settings)
    if "exp_manager" in recipe:
        exp_manager(trainer, recipe.exp_manager)
    model = EncDecDenoiseMaskedTokenPredModel(cfg=recipe.model, trainer=trainer)
    model.maybe_init_from_pretrained_checkpoint(recipe)
    trainer.fit(model)


if __name__ == "__main__":
    main()
