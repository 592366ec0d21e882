# SPDX-License-Identifier: Apache-2.0
"""NeMo's pre-training of NEST, in small, as its speech_pre_training.py does it.

usage: nemo_nest.py [workers=N] [context=fork|spawn] [epochs=2]
"""
import nemo_programs
from nemo.collections.asr.models.ssl_models import EncDecDenoiseMaskedTokenPredModel
from omegaconf import OmegaConf


def make_model(trainer):
    recipe = nemo_programs.read_recipe()
    manifest = nemo_programs.write_manifest("speech", 16, 1)
    noise = nemo_programs.write_manifest("noise", 4, 100)
    for name, shuffled in (("train_ds", True), ("validation_ds", False)):
        settings = nemo_programs.loader_settings(manifest_filepath=manifest, noise_manifest=noise, shuffle=shuffled)
        recipe[name] = OmegaConf.merge(recipe[name], settings)
    return EncDecDenoiseMaskedTokenPredModel(cfg=recipe, trainer=trainer)


if __name__ == "__main__":
    nemo_programs.fit(make_model)
