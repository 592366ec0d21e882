# SPDX-License-Identifier: Apache-2.0
"""The faults that tests/bench/diagnosis injects, and the expected diagnosis of each.

The expectations follow only from the definitions in docs/diagnosis.md: the holder is the rank that has the fault, the
phase is the one in which it spent the time, and the cause is the injected fault.
"""
from dataclasses import dataclass, field

COMPUTE = ("preprocess", "augment", "forward", "loss", "backward")
END_OF_RUN = ("barrier", "checkpoint", "none")


@dataclass(frozen=True)
class Case:
    name: str
    ranks: int
    faults: tuple          # in the syntax of --fault
    holders: frozenset     # the ranks that must be named, and no others
    cause: str
    phases: tuple          # any of these is right
    sync: bool = True      # model.encoder.sync_max_audio_length
    bn: bool = True        # trainer.sync_batchnorm
    steps: int = 16
    overrides: tuple = ()
    evidence: dict = field(default_factory=dict)
    # start of the delay: stall (begin + threshold), at_once (begin), join, signal (sent), signal_stall (sent + threshold), none
    measured: str = "stall"
    others: bool = False     # "all ranks" is right too
    hangs: bool = False      # the run does not end by itself: it is stopped after the first diagnosis
    timeout: int = 90
    signal: str = ""      # sent in the sixth step, instead of a fault; processes stopped by SIGSTOP continue after 5 s
    to: str = "holder"    # the receiver: the holder, "ranks" (all), "supervisor", "run" (both), "freezer" (both, by a cgroup)

    @property
    def title(self):
        return f"{self.name} {self.what}"

    @property
    def what(self):
        if self.faults:
            return " + ".join(self.faults)
        if self.to == "freezer":
            return "control group frozen"
        return f"{self.signal} to {f'rank {min(self.holders)}' if self.to == 'holder' else self.to}"


class Builder:
    def __init__(self):
        self.cases = []

    def add(self, cause, kind, ranks, rank, phases, keys="", sync=True, bn=True, **more):
        at = f"rank={rank}" + (f",{keys}" if keys else "")
        if isinstance(phases, str):
            phases = (phases,)
        name = f"{len(self.cases) + 1:02d}"
        self.cases.append(Case(name, ranks, (f"{kind}:{at}",), frozenset([rank]), cause, tuple(phases), sync, bn, **more))

    def several(self, cause, faults, ranks, holders, phases, sync=True, bn=True, **more):
        name = f"{len(self.cases) + 1:02d}"
        self.cases.append(Case(name, ranks, tuple(faults), frozenset(holders), cause, tuple(phases), sync, bn, **more))


def data(b):
    def add(ranks, rank, keys="step=8,seconds=5", **more):
        b.add("data_loading", "data_loading", ranks, rank, "data_wait", keys, **more)

    add(2, 1)
    add(2, 0, "step=11,seconds=5", sync=False, bn=False)
    add(4, 2, bn=False)
    add(4, 0, "step=9,seconds=5", sync=False)
    add(8, 5, "step=8,seconds=6")
    add(8, 7, "step=8,seconds=6", sync=False, bn=False)
    add(2, 1, "step=0,seconds=10", bn=False)  # before the end of the first step
    b.several("data_loading", ["data_loading:rank=0,step=8,seconds=6", "data_loading:rank=1,step=8,seconds=6"], 2, (0, 1),
              ("data_wait",))  # no rank waits in a collective
    for ranks, rank, more in ((2, 0, {}), (2, 1, dict(sync=False, bn=False)), (4, 3, {})):
        b.add("data_loading", "slow_reader", ranks, rank, "data_wait", "step=9,steps=2,seconds=2.5", **more)
    b.add("data_loading", "slow_reader", 2, 1, "data_wait", "step=6,steps=60,seconds=0.12", steps=70, measured="none")


def lengths(b):
    def slow(ranks, rank, phase, **more):
        b.add("preprocessing", "preprocessing", ranks, rank, phase, f"step=8,seconds=5,phase={phase}", **more)

    slow(2, 1, "preprocess")
    slow(4, 1, "preprocess", sync=False)
    slow(8, 3, "preprocess", bn=False)
    slow(2, 0, "augment", sync=False, bn=False)
    slow(4, 2, "augment")
    slow(2, 1, "to_device", bn=False)
    for ranks, rank, more in ((2, 1, {}), (2, 0, dict(sync=False, bn=False)), (4, 3, dict(sync=False))):
        b.add("long_batch", "long_batch", ranks, rank, COMPUTE, "step=8,seconds=400", **more)


def agreement(b):
    for ranks, rank, more in ((2, 1, {}), (2, 0, dict(bn=False)), (4, 2, dict(sync=False)), (8, 1, {})):
        b.add("uneven_batches", "uneven_batches", ranks, rank, END_OF_RUN, "step=9", hangs=True, **more)
    for ranks, rank, bn in ((2, 1, True), (2, 1, False), (4, 2, True), (4, 0, False)):
        # what the rank calls instead: statistics in forward, or a bucket in backward
        b.add("mismatched_collective", "no_length_sync", ranks, rank, "forward" if bn else "backward", "step=8", bn=bn,
              hangs=True)
    for ranks, rank, key, more in ((2, 1, "model.train_ds.batch_size=3", {}),
                                   (4, 2, "model.train_ds.num_workers=2", dict(bn=False)),
                                   (2, 1, "model.encoder.sync_max_audio_length=false", {}),
                                   (2, 0, "model.train_ds.shuffle=false", dict(sync=False))):
        b.add("configuration_differs", "other_settings", ranks, rank, ("startup", "rendezvous"), f"set={key}",
              measured="config", **more)


def processes(b):
    for ranks, rank, more in ((2, 1, {}), (2, 0, {}), (4, 3, dict(sync=False)), (8, 6, dict(bn=False))):
        b.add("never_joined", "never_joined", ranks, rank, ("startup", "rendezvous"), "seconds=60", measured="join",
              overrides=(f"++rankscope.join_seconds={20 if ranks == 8 else 12}",), **more)

    def stopped(ranks, rank, phase, **more):
        b.add("stopped", "stopped", ranks, rank, phase, f"step=8,seconds=5,phase={phase}", **more)

    stopped(2, 1, "data_wait")
    stopped(2, 0, "forward", sync=False)
    stopped(4, 2, "backward", bn=False)
    stopped(4, 1, "optimizer", sync=False)
    stopped(8, 4, "preprocess")
    stopped(2, 1, "loss", bn=False)
    b.several("paused", ["stopped:rank=0,step=8,seconds=6", "stopped:rank=1,step=8,seconds=6"], 2, (), ("none",))

    def dead(ranks, rank, keys, phase, evidence, **more):
        b.add("dead", "dead", ranks, rank, phase, f"step=8,{keys},phase={phase}", evidence=evidence, measured="at_once",
              **more)

    dead(2, 1, "signal=SIGKILL", "forward", {"signal_name": "SIGKILL"})
    dead(2, 0, "signal=SIGSEGV", "backward", {"signal_name": "SIGSEGV"}, sync=False)
    dead(4, 2, "exit_code=7", "data_wait", {"exit_code": 7}, bn=False)
    dead(4, 0, "signal=SIGABRT", "optimizer", {"signal_name": "SIGABRT"})
    dead(8, 5, "signal=SIGKILL", "preprocess", {"signal_name": "SIGKILL"}, sync=False, bn=False)
    dead(2, 1, "exit_code=1", "loss", {"exit_code": 1})
    dead(2, 0, "exit_code=0", "forward", {}, bn=False)
    for ranks, rank, phase, more in ((2, 1, "forward", {}), (4, 2, "data_wait", dict(sync=False)),
                                     (2, 0, "backward", dict(bn=False))):
        b.add("dead", "out_of_memory", ranks, rank, phase, f"step=8,megabytes=64,phase={phase}",
              evidence={"out_of_memory": True}, measured="at_once", **more)


def compute(b):
    def slow(ranks, rank, keys, phase, evidence=None, **more):
        b.add("slow_compute", "slow_compute", ranks, rank, phase, f"step=8,seconds=5,{keys}", evidence=evidence or {}, **more)

    slow(2, 1, "phase=forward", "forward")
    slow(8, 2, "phase=forward", "forward", sync=False)
    slow(2, 0, "layer=0", "forward", {"place": "layer", "layer": 0})
    slow(4, 3, "layer=1", "forward", {"place": "layer", "layer": 1}, bn=False)
    slow(2, 1, "place=subsampling", "forward", {"place": "subsampling"}, sync=False, bn=False)
    slow(4, 1, "place=decoder", "forward", {"place": "decoder"}, bn=False)
    slow(2, 1, "phase=backward", "backward", bn=False)
    slow(4, 2, "phase=backward,layer=1", "backward", {"place": "layer", "layer": 1})
    slow(4, 0, "phase=loss", "loss", sync=False)
    slow(2, 0, "phase=optimizer", "optimizer")
    # a model whose steps are long compared with the jitter of a machine with other load
    steady = dict(steps=90, measured="none", overrides=("model.encoder.n_layers=4", "model.encoder.d_model=96",
                                                        "model.optim.sched.d_model=96", "model.train_ds.batch_size=4",
                                                        "++rankscope.straggler.window_steps=20",
                                                        "++rankscope.straggler.share=0.1",
                                                        "rankscope.stall.min_seconds=0.1"))
    b.add("slow_compute", "slow_rank", 2, 1, ("forward", "backward"), "step=10,factor=1.3", sync=False, bn=False, **steady)
    b.add("slow_compute", "slow_rank", 2, 0, ("forward", "backward"), "step=10,factor=1.3", bn=False, **steady)
    b.add("slow_compute", "slow_rank", 4, 2, ("forward", "backward"), "step=10,factor=3", sync=False, bn=False, **steady)


def rest(b):
    kept = ("++exp_manager.name=matrix", "++exp_manager.checkpoint_callback_params.every_n_train_steps=9",
            "++exp_manager.checkpoint_callback_params.every_n_epochs=0",
            "++exp_manager.checkpoint_callback_params.save_nemo_on_train_end=false")
    for ranks, more in ((2, {}), (4, dict(sync=False)), (8, dict(bn=False))):
        b.add("checkpoint", "checkpoint", ranks, 0, "checkpoint", "step=8,seconds=5", overrides=kept, **more)
    for kind, cause, places in (("nan_input", "not_finite", ((2, 1, {}), (4, 2, dict(bn=False)), (8, 0, dict(sync=False)))),
                                ("inf_loss", "not_finite", ((2, 0, {}), (4, 1, dict(sync=False, bn=False)))),
                                ("empty_batch", "empty_batch", ((2, 1, {}), (4, 3, dict(bn=False))))):
        for ranks, rank, more in places:
            b.add(cause, kind, ranks, rank, "loss", "step=8", measured="at_once", steps=12, **more)
    for ranks, rank, collective, phase, more in ((2, 1, "sync_max_audio_length", "forward", {}),
                                                 (2, 0, "gradient", "backward", dict(sync=False, bn=False)),
                                                 (4, 2, "sync_batchnorm", "forward", {})):
        b.add("inside_collective", "stuck_collective", ranks, rank, phase, f"step=8,seconds=5,collective={collective}",
              others=True, **more)


def requests(b):
    for ranks, rank, name in ((2, 0, "SIGTERM"), (2, 1, "SIGTERM"), (4, 2, "SIGTERM"), (8, 7, "SIGTERM"), (2, 1, "SIGINT"),
                              (4, 0, "SIGHUP"), (2, 0, "SIGUSR1"), (4, 3, "SIGUSR2"), (2, 1, "SIGALRM"), (4, 1, "SIGXCPU")):
        number = f"{len(b.cases) + 1:02d}"
        b.cases.append(Case(number, ranks, (), frozenset([rank]), "asked_to_leave", (*COMPUTE, "data_wait", "optimizer", "none",
                            "to_device"), steps=100000, evidence={"signal_name": name}, measured="signal", signal=name))


def crowded(b):
    """Six ranks, more than the machine has cores; some are stopped from outside, whatever they are doing."""
    b.add("data_loading", "data_loading", 6, 4, "data_wait", "step=8,seconds=5")
    b.add("stopped", "stopped", 6, 5, "backward", "step=8,seconds=5,phase=backward", bn=False)
    b.add("dead", "dead", 6, 2, "forward", "step=8,signal=SIGKILL,phase=forward", evidence={"signal_name": "SIGKILL"},
          measured="at_once")
    b.add("slow_compute", "slow_compute", 6, 1, "forward", "step=8,seconds=5,phase=forward", sync=False)
    for ranks, rank, more in ((2, 1, {}), (3, 0, {}), (3, 2, dict(sync=False, bn=False)), (6, 0, {}),
                              (6, 3, dict(sync=False)), (6, 5, dict(bn=False))):
        number = f"{len(b.cases) + 1:02d}"
        b.cases.append(Case(number, ranks, (), frozenset([rank]), "stopped", (*COMPUTE, "data_wait", "optimizer", "to_device"),
                            steps=60, measured="signal_stall", signal="SIGSTOP", **more))


def frozen(b):
    """The whole run is stopped, or only its supervisor; no rank is to blame."""
    for ranks, to, cause, more in ((2, "run", "paused", {}), (2, "run", "paused", dict(sync=False, bn=False)),
                                   (4, "run", "paused", {}), (6, "run", "paused", dict(bn=False)),
                                   (2, "freezer", "paused", {}), (4, "freezer", "paused", dict(sync=False)),
                                   (2, "ranks", "paused", {}), (4, "ranks", "paused", dict(bn=False)),
                                   (2, "supervisor", "none", {}), (4, "supervisor", "none", {})):
        number = f"{len(b.cases) + 1:02d}"
        b.cases.append(Case(number, ranks, (), frozenset(), cause, ("none",), steps=60, measured="none", signal="SIGSTOP",
                            to=to, **more))


def cases():
    b = Builder()
    for part in (data, lengths, agreement, processes, compute, rest, requests, crowded, frozen):
        part(b)
    return b.cases
