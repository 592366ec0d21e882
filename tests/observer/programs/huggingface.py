# SPDX-License-Identifier: Apache-2.0
"""Trains a tiny random model with Hugging Face's Trainer, with progress bars, evaluation and checkpoints.

usage: huggingface.py [model=bert|wav2vec2] [workers=N] [context=fork|spawn] [accumulate=N]
"""
import sys

import torch
import weights
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainingArguments,
    Wav2Vec2Config,
    Wav2Vec2ForSequenceClassification,
)

OPTIONS = dict(argument.split("=") for argument in sys.argv[1:])
LABELS = 2


def option(name, otherwise=0):
    return int(OPTIONS.get(name, otherwise))


class Sentences(torch.utils.data.Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.arange(5 + index % 7) + 1, index % LABELS


class Sounds(torch.utils.data.Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        return torch.randn(1600 + 40 * index, generator=generator), index % LABELS


def pad_sentences(items):
    tokens = torch.nn.utils.rnn.pad_sequence([tokens for tokens, _ in items], batch_first=True)
    labels = torch.tensor([label for _, label in items])
    return {"input_ids": tokens, "attention_mask": (tokens > 0).long(), "labels": labels}


def pad_sounds(items):
    sounds = torch.nn.utils.rnn.pad_sequence([sound for sound, _ in items], batch_first=True)
    mask = torch.zeros(sounds.shape, dtype=torch.long)
    for row, (sound, _) in zip(mask, items):
        row[: len(sound)] = 1
    return {"input_values": sounds, "attention_mask": mask, "labels": torch.tensor([label for _, label in items])}


def make_bert():
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    return BertForSequenceClassification(BertConfig(vocab_size=50, num_labels=LABELS, **sizes))


def make_wav2vec2():
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    convolutions = {"conv_dim": (16, 16), "conv_kernel": (10, 3), "conv_stride": (5, 4)}
    positions = {"num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 2}
    masking = {"mask_time_length": 2, "classifier_proj_size": 8}
    config = Wav2Vec2Config(num_labels=LABELS, **sizes, **convolutions, **positions, **masking)
    return Wav2Vec2ForSequenceClassification(config)


MODELS = {"bert": (make_bert, Sentences, pad_sentences), "wav2vec2": (make_wav2vec2, Sounds, pad_sounds)}


def main():
    torch.set_num_threads(1)
    if OPTIONS.get("context"):
        torch.multiprocessing.set_start_method(OPTIONS["context"])
    make_model, dataset, pad = MODELS[OPTIONS.get("model", "bert")]
    arguments = TrainingArguments(
        "trained",
        per_device_train_batch_size=4,
        per_device_eval_batch_size=4,
        num_train_epochs=2,
        use_cpu=True,
        report_to=[],
        eval_strategy="epoch",
        save_strategy="epoch",
        gradient_accumulation_steps=option("accumulate", 1),
        dataloader_num_workers=option("workers"),
        logging_steps=2,
        seed=7,
    )
    torch.manual_seed(7)
    model = make_model()
    trainer = Trainer(model, arguments, train_dataset=dataset(), eval_dataset=dataset(), data_collator=pad)
    trainer.train()
    weights.report(arguments.process_index, model.parameters())


if __name__ == "__main__":
    main()
