# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/explain/hangs: logs and Flight Recorder dumps of runs that hang, by the installed PyTorch on Gloo.

usage: make_hangs.py FOLDER [SCENARIO...]

Writes FOLDER/<torch version>/<scenario>/: rank_N.log and joined.log (lines of all ranks as they came, with torchrun's
prefixes), the same below detail/ with TORCH_DISTRIBUTED_DEBUG=DETAIL, torchrun.log (torchrun's own output, which ends
the other ranks when one fails) for some, dumps/{live,end}/nccl_trace_rank_N and .json (while the ranks wait, and before
each ends), and truth.json, which README.md beside the versions describes. Paths and host names of this machine are
replaced. Takes some four minutes.
"""
import json
import os
import pickle
import pickletools
import re
import runpy
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback

import torch
import torch.distributed as dist

HERE = os.path.dirname(os.path.abspath(__file__))
TRAINING = os.path.join(HERE, "hung_training.py")
WORLD_SIZE = 3
END_S = 30  # of a run; the last ranks are killed then
UNDER_TORCHRUN = ("rank_sleeps", "rank_exits_early", "rank_killed", "different_sizes")


# --- what is true

def call(op, elements, sequence, group=""):
    """`group`: empty for the default one."""
    return {"op": op, "elements": elements, "sequence": sequence, "group": group}


LENGTH = call("AllReduce", 1, 7)  # of batch 3: two collectives a batch, counted from 1
GRADIENTS = call("AllReduce", 4096, 8)


def expected(verdicts, *ranks, unknown=()):
    """`ranks`: sets of ranks to look at; any of them is right."""
    return {"verdicts": verdicts, "ranks": [sorted(r) for r in ranks] or [[]], "unknown": list(unknown)}


NOTHING = expected(["NotEnoughData"])


def missing(rank):
    """What must be said when one rank never enters the collective in which the two others wait."""
    said = expected(["RankMissing"], [rank])
    doubtful = expected(["RankMissing", "NotEnoughData"], [rank], [], unknown=[rank])
    return {"plain": said, "plain_withheld": expected(["NotEnoughData"], [], unknown=[rank]),
            "detail": said, "detail_withheld": said,  # the message of the monitored barrier names the rank
            "live": said, "live_withheld": doubtful, "dumps": said, "dumps_withheld": doubtful}


def mismatch(rank):
    """What must be said when one rank is in another collective than the two others. A Gloo log without DETAIL has only
    the places of the code in its tracebacks."""
    said = expected(["Mismatch"], [rank])
    doubtful = expected(["RankMissing", "NotEnoughData"], [rank], [], unknown=[rank])
    pairs = [[rank, other] for other in range(WORLD_SIZE) if other != rank]
    return {"plain": expected(["Mismatch", "EveryoneInside", "NotEnoughData"], [rank], []),
            "plain_withheld": expected(["NotEnoughData"], [], unknown=[rank]),
            "detail": said, "detail_withheld": expected(["Mismatch"], [rank], *pairs, []),
            "live": said, "live_withheld": doubtful, "dumps": said, "dumps_withheld": doubtful}


# By scenario: guilty ranks; in which collective each rank is; what must be said of which input: "plain" and "detail"
# are all logs of ranks, "live" and "dumps" all dumps; "..._withheld" the same without the files of the guilty ranks.
TRUTHS = {
    "rank_sleeps": {
        "guilty": [1], "what": "Rank 1 is asleep in load_batch and never enters the collective.",
        "stuck": {"0": LENGTH, "2": LENGTH},
        "expect": {**missing(1), "torchrun": expected(["RankMissing", "NotEnoughData"], [1], [])}},
    "rank_exits_early": {
        "guilty": [2], "what": "Rank 2 has fewer batches, says that it is done and exits with 0.",
        "stuck": {"0": LENGTH, "1": LENGTH},
        "expect": {
            **missing(2),
            "plain": expected(["RankBehind", "RankMissing"], [2]),
            "detail": expected(["RankBehind", "RankMissing"], [2]),
            "detail_withheld": expected(["RankMissing", "NotEnoughData"], [2], [], unknown=[2]),
            "live": expected(["RankMissing", "NotEnoughData"], [2], [], unknown=[2]),
            "dumps": expected(["RankBehind", "RankMissing"], [2])}},
    "rank_killed": {
        "guilty": [1], "what": "Rank 1 is killed by SIGKILL in load_batch. It leaves no dump, and no word in its log.",
        "stuck": {"0": LENGTH, "2": LENGTH},
        "expect": {
            "plain": expected(["RankMissing"], [1]),
            "plain_withheld": expected(["NotEnoughData"], [], unknown=[1]),
            "detail": expected(["RankMissing"], [1]),
            "detail_withheld": expected(["RankMissing", "NotEnoughData"], [1], [], unknown=[1]),
            "torchrun": expected(["RankDead"], [1]),
            "dumps": expected(["RankMissing", "NotEnoughData"], [1], [], unknown=[1])}},
    "one_rank_only": {
        "guilty": [0], "what": "Only rank 0 calls the barrier after the last batch; ranks 1 and 2 do something else.",
        "stuck": {"0": call("Barrier", None, 7)},
        "expect": {
            "plain": expected(["RankMissing"], [1, 2]), "plain_withheld": NOTHING,
            "detail": expected(["RankMissing"], [1, 2]), "detail_withheld": NOTHING,
            "live": expected(["RankMissing"], [1, 2]), "live_withheld": NOTHING,
            "dumps": expected(["RankMissing"], [1, 2]), "dumps_withheld": NOTHING}},
    "extra_collective": {
        "guilty": [2], "what": "Rank 2 calls a broadcast that no other rank calls, and waits in it.",
        "stuck": {"0": call("AllReduce", 1, 9), "1": call("AllReduce", 1, 9), "2": call("Broadcast", 1, 9)},
        "expect": mismatch(2)},
    "different_sizes": {
        "guilty": [1], "what": "Rank 1 reduces 4,608 gradients, the others 4,096. Gloo ends rank 0 by an exception in "
                               "one of its threads, so that it leaves no dump.",
        "stuck": {"0": GRADIENTS, "1": call("AllReduce", 4608, 8), "2": GRADIENTS},
        "expect": {
            **mismatch(1),
            "plain": expected(["Mismatch"], [1], []),
            "plain_withheld": expected(["Mismatch", "NotEnoughData"], []),
            "live": expected(["Mismatch"], [1], [1, 2]),
            "dumps": expected(["Mismatch"], [1], [1, 2]),
            "torchrun": expected(["Mismatch"], [1], [])}},
    "different_orders": {
        "guilty": [2], "what": "In batch 3, rank 2 calls the broadcast before the all-reduce, the others after it.",
        "stuck": {"0": call("AllReduce", 1, 10), "1": call("AllReduce", 1, 10), "2": call("Broadcast", 513, 10)},
        "expect": mismatch(2)},
    "groups_crossed": {
        "guilty": [2], "what": "In batch 3, rank 2 uses the second group before the default one, the others after it.",
        "stuck": {"0": call("AllReduce", 257, 7), "1": call("AllReduce", 257, 7),
                  "2": call("AllReduce", 257, 4, "1")},
        "expect": {
            **mismatch(2),
            "detail": expected(["Mismatch", "RankMissing"], [2]),
            "detail_withheld": expected(["Mismatch", "RankMissing"], [2])}},
}


# --- neutral names

def replacements():
    site = os.path.dirname(os.path.dirname(torch.__file__))
    return [(site, "/home/user/venv/lib/python3.11/site-packages"), (TRAINING, "/home/user/nest/train.py"),
            ("hung_training.py", "train.py"), (HERE, "/home/user/nest"), (sys.prefix, "/home/user/venv"),
            (os.path.realpath(sys.prefix), "/home/user/venv"), (sys.base_prefix, "/usr"), (socket.getfqdn(), "node1"),
            (socket.gethostname(), "node1"), ("make_hangs.py", "launcher.py")]


def neutral(text):
    for mine, theirs in replacements():
        text = text.replace(mine, theirs)
    text = re.sub(r"/tmp/[^\s'\":]+", "/tmp/run", text)
    text = re.sub(r"/(root|work)/[^\s'\":]+/", "/home/user/", text)
    return re.sub(r"([EWI]\d{4} \d\d:\d\d:\d\d\.\d+) +\d+ ", r"\1 4001 ", text)


def neutral_pickle(data):
    """Replaces strings opcode by opcode, so that everything else stays as PyTorch's own pickler wrote it."""
    out, ops = [], list(pickletools.genops(data))
    for (op, argument, at), end in zip(ops, [o[2] for o in ops[1:]] + [len(data)]):
        if op.name == "BINUNICODE":
            text = neutral(argument).encode()
            out.append(b"X" + struct.pack("<I", len(text)) + text)
        else:
            out.append(data[at:end])
    return b"".join(out)


# --- runs

def run_rank(scenario, rank, detail, port, dumps, write_to):
    os.dup2(write_to, 1)
    os.dup2(write_to, 2)
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(WORLD_SIZE), MASTER_ADDR="127.0.0.1",
                      MASTER_PORT=str(port), **environment(detail))
    if dumps:
        os.environ["DUMP_FOLDER"] = dumps
    dist.set_debug_level_from_env()
    sys.argv = [TRAINING, scenario]
    try:
        runpy.run_path(TRAINING, run_name="__main__")
    except BaseException as error:
        trace = error.__traceback__
        while trace and trace.tb_frame.f_code.co_filename != TRAINING:
            trace = trace.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        sys.stderr.flush()
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)


def environment(detail):
    return {"TORCH_DISTRIBUTED_DEBUG": "DETAIL" if detail else "OFF", "GLOO_SOCKET_IFNAME": "lo",
            "TORCH_FR_BUFFER_SIZE": "100", "OMP_NUM_THREADS": "1"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(scenario, detail, dumps=None):
    """Returns (rank, line) in the order in which the lines came."""
    port, readers, pids = free_port(), selectors.DefaultSelector(), []
    for rank in range(WORLD_SIZE):
        read_from, write_to = os.pipe()
        pid = os.fork()
        if pid == 0:
            run_rank(scenario, rank, detail, port, dumps, write_to)
        os.close(write_to)
        pids.append(pid)
        readers.register(os.fdopen(read_from, encoding="utf-8", errors="replace"), selectors.EVENT_READ, rank)
    lines, end = [], time.monotonic() + END_S
    while readers.get_map() and time.monotonic() < end:
        for key, _ in readers.select(1):
            line = key.fileobj.readline()
            if line:
                lines.append((key.data, line.rstrip("\n")))
            else:
                readers.unregister(key.fileobj)
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(pid, 0)
    return lines


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(neutral(text))


def write_logs(folder, lines):
    for rank in range(WORLD_SIZE):
        write(f"{folder}/rank_{rank}.log", "".join(line + "\n" for r, line in lines if r == rank))
    write(f"{folder}/joined.log", "".join(f"[default{r}]:{line}\n" for r, line in lines))


def run_torchrun(scenario):
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(WORLD_SIZE), "--tee", "3",
               "--master-port", str(free_port()), TRAINING, scenario]
    return subprocess.run(command, env={**os.environ, **environment(False)}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120).stdout


def store_dumps(source, target):
    os.makedirs(target, exist_ok=True)
    for name in sorted(os.listdir(source)):
        with open(os.path.join(source, name), "rb") as file:
            data = file.read()
        data = neutral(data.decode()).encode() if name.endswith(".json") else neutral_pickle(data)
        with open(os.path.join(target, name), "wb") as file:
            file.write(data)


OPS = {"all_reduce": "AllReduce", "broadcast": "Broadcast", "barrier": "Barrier"}


def group_of(entry):
    name, description = entry["process_group"]
    return "" if description == "default_pg" else name


def check(truth, dumps):
    """Compares the collectives in which the ranks are stuck with the last entries of their dumps."""
    for rank, stuck in truth["stuck"].items():
        if not os.path.exists(f"{dumps}/nccl_trace_rank_{rank}"):
            print(f"  rank {rank} left no dump")
            continue
        with open(f"{dumps}/nccl_trace_rank_{rank}", "rb") as file:
            entries = pickle.load(file)["entries"]
        said = [(OPS[e["profiling_name"].split(":")[1]], e["collective_seq_id"], group_of(e), e["input_sizes"])
                for e in entries]
        wanted = (stuck["op"], stuck["sequence"], stuck["group"])
        if not any(s[:3] == wanted and (stuck["elements"] is None or s[3] == [[stuck["elements"]]]) for s in said):
            print(f"  rank {rank}: {wanted} is not in its dump, which ends with {said[-3:]}")


def make(folder, scenario):
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as dumps:
        write_logs(folder, run(scenario, False, dumps))
        for when in ("live", "end"):
            store_dumps(f"{dumps}/{when}", f"{folder}/dumps/{when}")
    write_logs(f"{folder}/detail", run(scenario, True))
    if scenario in UNDER_TORCHRUN:
        write(f"{folder}/torchrun.log", run_torchrun(scenario))
    truth = {"scenario": scenario, "torch": torch.__version__.split("+")[0], "backend": "gloo",
             "world_size": WORLD_SIZE, "timeout_ms": 3000, **TRUTHS[scenario]}
    check(truth, f"{folder}/dumps/end")
    write(f"{folder}/truth.json", json.dumps(truth, indent=1) + "\n")


def main(folder, scenarios):
    for scenario in scenarios or TRUTHS:
        print(scenario, flush=True)
        make(os.path.join(folder, torch.__version__.split("+")[0], scenario), scenario)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
