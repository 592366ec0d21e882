# SPDX-License-Identifier: Apache-2.0
"""The tags of collectives, by made-up frames that are called like those of PyTorch, Lightning and NeMo."""
import os
import sys
import unittest
from types import SimpleNamespace

OBSERVER = os.environ.get("RANKSCOPE_OBSERVER_DIR") or os.path.join(os.path.dirname(__file__), "../../app/observer")
sys.path.insert(0, os.path.abspath(OBSERVER))

from rankscope_observer.collectives import tags  # noqa: E402

C10D = "torch.distributed.distributed_c10d"
DDP = "torch.nn.parallel.distributed"


def frame(calls):
    """Returns the innermost frame of functions that call each other. Each is (module, function[, its locals])."""
    made = None
    for module, name, *variables in calls:
        variables = variables[0] if variables else {}
        code = SimpleNamespace(
            co_name=name, co_filename=f"/somewhere/{module.split('.')[-1]}.py", co_varnames=tuple(variables))
        made = SimpleNamespace(
            f_globals={"__name__": module}, f_code=code, f_locals=variables, f_lineno=2, f_back=made)
    return made


def place(*calls):
    return tags.place_of(frame(calls))


def tag(*calls):
    return tags.resolve(frame(calls))


class TagsOfPrograms(unittest.TestCase):
    """What a program and plain PyTorch call."""

    def test_line_of_the_program(self):
        self.assertEqual(tag(("train", "step"), (C10D, "all_reduce", {"async_op": False})), "train.py:2")

    def test_first_line_outside_of_libraries(self):
        self.assertEqual(
            tag(("train", "main"), ("lightning.pytorch.trainer.call", "call"), ("model", "loss"),
                ("torch.distributed.nn.functional", "all_reduce"), (C10D, "all_reduce")), "model.py:2")

    def test_barrier_by_its_place(self):
        self.assertEqual(tag(("train", "save"), (C10D, "barrier", {"async_op": False})), "barrier:train.py:2")

    def test_objects(self):
        self.assertEqual(
            tag(("train", "log"), (C10D, "all_gather_object"), (C10D, "all_gather", {"async_op": False})),
            "objects:train.py:2")

    def test_without_the_program(self):
        self.assertEqual(tag(("torch.nn.utils", "clip"), (C10D, "all_reduce")), "utils.py:2")

    def test_nothing_known(self):
        self.assertEqual(tags.resolve(None), "")


class TagsOfLibraries(unittest.TestCase):
    """What libraries call for the program."""

    def test_length_sync(self):
        module = "nemo.collections.asr.modules.conformer_encoder"
        self.assertEqual(tag((module, "update_max_seq_length"), (C10D, "all_reduce")), "sync_max_audio_length")
        self.assertEqual(tag(("mine", "update_max_seq_length"), (C10D, "all_reduce")), "mine.py:2")

    def test_ddp(self):
        utils = "torch.distributed.utils"
        self.assertEqual(
            tag(("train", "main"), (DDP, "__init__"), (utils, "_sync_module_states"),
                (utils, "_sync_params_and_buffers")), "broadcast:parameters")
        self.assertEqual(
            tag(("train", "main"), (DDP, "__init__"), (utils, "_verify_param_shape_across_processes")),
            "ddp:verify_parameters")
        self.assertEqual(
            tag(("train", "main"), (DDP, "forward"), (DDP, "_sync_buffers"), (DDP, "_default_broadcast_coalesced"),
                (DDP, "_distributed_broadcast_coalesced")), "broadcast:buffers")
        self.assertEqual(tag(("train", "main"), (DDP, "_pre_forward")), "ddp:bucket_order")
        self.assertEqual(tag(("train", "main"), (DDP, "join"), (C10D, "all_reduce")), "ddp:join")

    def test_fsdp(self):
        self.assertEqual(
            tag(("train", "main"), ("torch.distributed.fsdp._flat_param", "_all_gather_flat_param"),
                (C10D, "all_gather_into_tensor", {"async_op": False})), "fsdp:all_gather_flat_param")
        self.assertEqual(
            tag(("torch.distributed.fsdp._fully_shard._fsdp_collectives", "foreach_reduce")), "fsdp:foreach_reduce")

    def test_sync_batchnorm(self):
        functions, module = "torch.nn.modules._functions", "torch.nn.modules.batchnorm"

        class Layer:
            pass

        class Context:
            pass

        first, second = Layer(), Layer()
        contexts = {first: Context(), second: Context()}

        def forward(layer):
            return tag(("train", "main"), (module, "forward", {"self": layer}),
                       (functions, "forward", {"self": contexts[layer]}), (C10D, "all_gather", {"async_op": False}))

        def backward(layer):
            return tag((functions, "backward", {"self": contexts[layer]}), (C10D, "all_reduce", {"async_op": False}))

        number = int(forward(first).split(":")[1])
        self.assertEqual(forward(second), f"sync_batchnorm:{number + 1}")
        self.assertEqual(backward(second), f"sync_batchnorm:{number + 1}")
        self.assertEqual(backward(first), f"sync_batchnorm:{number}")
        self.assertEqual(forward(first), f"sync_batchnorm:{number}")

    def test_lightning_barrier(self):
        strategy = "lightning.pytorch.strategies.ddp"
        loop = ("lightning.pytorch.trainer.trainer", "save_checkpoint")
        barrier = (C10D, "barrier", {"async_op": False})
        self.assertEqual(
            tag(loop, (strategy, "barrier", {"name": "Trainer.save_checkpoint"}), barrier),
            "barrier:Trainer.save_checkpoint")
        self.assertEqual(tag(loop, (strategy, "barrier", {"name": None}), barrier), "barrier:save_checkpoint")
        self.assertEqual(
            tag(("model", "hook"), (strategy, "barrier", {"name": None}), barrier), "barrier:model.py:2")

    def test_lightning_metrics(self):
        connector = "lightning.pytorch.trainer.connectors.logger_connector."
        utilities = "lightning.fabric.utilities.distributed"
        reduce = (("lightning.pytorch.strategies.ddp", "reduce"), (utilities, "_sync_ddp"),
                  (C10D, "all_reduce", {"async_op": False}))
        self.assertEqual(
            tag((connector + "logger_connector", "update_eval_epoch_metrics"),
                (connector + "logger_connector", "metrics"),
                (connector + "result", "compute"), *reduce), "metrics:update_eval_epoch_metrics")
        self.assertEqual(
            tag(("model", "training_step"), ("lightning.pytorch.core.module", "log"), (connector + "result", "update"),
                *reduce), "metrics:model.py:2")

    def test_lightning_callbacks(self):
        call = ("lightning.pytorch.trainer.call", "_call_callback_hooks")
        strategy = "lightning.pytorch.strategies.ddp"
        self.assertEqual(
            tag(call, ("lightning.pytorch.callbacks.model_checkpoint", "on_validation_end"), (strategy, "broadcast"),
                (C10D, "broadcast_object_list"), (C10D, "broadcast", {"async_op": False})),
            "objects:model_checkpoint.py:2")
        self.assertEqual(
            tag(call, ("lightning.pytorch.callbacks.early_stopping", "on_validation_end"), (strategy, "reduce"),
                ("lightning.fabric.utilities.distributed", "_sync_ddp"), (C10D, "all_reduce", {"async_op": False})),
            "metrics:on_validation_end")

    def test_torchmetrics(self):
        self.assertEqual(
            tag(("model", "validate"), ("torchmetrics.metric", "sync"),
                ("torchmetrics.utilities.distributed", "gather_all_tensors"),
                (C10D, "all_gather", {"async_op": False})), "metrics:model.py:2")


class Waiting(unittest.TestCase):
    """Whether the caller waits for the end."""

    def test_async_op(self):
        for asynchronous in (False, True):
            found = place(("train", "step"), (C10D, "all_reduce", {"async_op": asynchronous}))
            self.assertEqual((found.waits, found.always_waits), (not asynchronous, False))

    def test_messages(self):
        self.assertTrue(place(("train", "step"), (C10D, "send"), (C10D, "isend")).waits)
        self.assertFalse(place(("train", "step"), (C10D, "isend")).waits)

    def test_ddp_waits_itself(self):
        self.assertTrue(place(("train", "step"), (DDP, "_sync_buffers")).always_waits)
        self.assertFalse(place(("train", "step"), (DDP, "join"), (C10D, "all_reduce", {"async_op": True})).waits)


class Depth(unittest.TestCase):
    """What the C++ kernels keep places by."""

    def test_ends_at_the_program(self):
        self.assertEqual(place(("main", "main"), ("train", "step"), (C10D, "all_reduce")).depth, 2)

    def test_all_frames(self):
        deep = [("torch.nn.utils", f"call{number}") for number in range(2 * tags.FRAMES)]
        found = place(("train", "step"), *deep, (C10D, "all_reduce"))
        self.assertEqual((found.depth, found.tag), (0, "utils.py:2"))

    def test_only_layers_differ_each_time(self):
        self.assertTrue(place(("train", "step"), (C10D, "all_reduce")).fixed)


if __name__ == "__main__":
    unittest.main()
