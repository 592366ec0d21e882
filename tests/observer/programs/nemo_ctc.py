# SPDX-License-Identifier: Apache-2.0
"""Trains a tiny CTC model of NeMo, with the word error rate that NeMo logs.

usage: nemo_ctc.py [workers=N] [context=fork|spawn] [epochs=2]
"""
import nemo_programs
from nemo.collections.asr.models import EncDecCTCModel
from omegaconf import OmegaConf

LABELS = list(" abcdefghijklmnopqrstuvwxyz'")


def make_model(trainer):
    recipe = nemo_programs.read_recipe()
    OmegaConf.resolve(recipe.preprocessor)
    OmegaConf.resolve(recipe.encoder)
    settings = nemo_programs.loader_settings(labels=LABELS, trim_silence=False, max_duration=15.0)
    manifest = nemo_programs.write_manifest("speech", 16, 1)
    config = {
        "sample_rate": nemo_programs.RATE,
        "labels": LABELS,
        "log_prediction": False,
        "train_ds": {**settings, "manifest_filepath": manifest, "shuffle": True},
        "validation_ds": {**settings, "manifest_filepath": manifest, "shuffle": False},
        "preprocessor": recipe.preprocessor,
        "encoder": recipe.encoder,
        "decoder": {
            "_target_": "nemo.collections.asr.modules.ConvASRDecoder",
            "feat_in": recipe.encoder.d_model,
            "num_classes": len(LABELS),
            "vocabulary": LABELS,
        },
        "optim": {"name": "adamw", "lr": 0.001},
    }
    return EncDecCTCModel(cfg=OmegaConf.create(config), trainer=trainer)


if __name__ == "__main__":
    nemo_programs.fit(make_model)
