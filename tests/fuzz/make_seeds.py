#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds under tests/fuzz/seeds/ that are not recipes: small, valid examples of each format and some that are
almost valid. make_seeds.cpp writes those of recording. Needs nothing but Python and tests/data."""
import io
import json
import pathlib
import struct
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS = ROOT / "tests/fuzz/seeds"


def put(target, name, data):
    folder = SEEDS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)


def overrides():
    put("overrides", "plain", "model.encoder.d_model=5\n+model.new={a: [1, 'b']}\n~trainer.devices\n"
                              "++trainer.x.y=${model.encoder.d_model}\n")
    put("overrides", "values", "name='it''s'\nname=\"a\\tb\"\nmodel.list=[1, 2.5, true, null, word, 'q']\n"
                               "model.list.1.a=1e-3\nmodel.list[2]=x\nmodel.encoder={n_layers: 2, d: {e: []}}\n")
    put("overrides", "refused", "nothing\n=1\na.=1\n+name=2\n~nobody\nmodel.encoder.d_model=[1\nname={\nagain=5\n"
                                "a..b=1\nmodel.known=3\n")
    put("overrides", "large", "model.encoder.d_model=1e4005\nmodel.encoder.conv_kernel_size=1e300\n"
                              "trainer.num_nodes=1e30\ntrainer.devices=.nan\n")


def manifest():
    rows = [{"audio_filepath": "a/b.wav", "duration": 1.25, "text": "one two"},
            {"audio_filename": "/abs/ü.flac", "duration": 30, "offset": 0.5},
            {"audio_filepath": "../c.wav", "duration": 0.1, "offset": None, "lang": ["x", {"y": 1}]}]
    put("manifest", "good", "".join(json.dumps(r) + "\n" for r in rows))
    put("manifest", "windows", "\ufeff" + json.dumps(rows[0]) + "\r\n\r\n  \n" + json.dumps(rows[1]))
    put("manifest", "bad", '{"audio_filepath": "a.wav", "duration": NaN}\n{"audio_filepath": ["a"], "duration": 1}\n'
                           '{"duration": 1}\n[]\n{"audio_filepath": "", "duration": 1e400}\n{"audio_filepath": "x"}\n'
                           '{"audio_filepath": "x", "duration": -1, "offset": "2"}\nword\n')


def hang_log():
    for log in sorted((ROOT / "tests/data/explain/logs").glob("*.log")):
        put("hang_log", log.stem, b"\x20\0" + log.read_bytes())
    watchdog = ""
    for rank in (0, 2):
        head = f"[rank{rank}]:[E602 11:17:52.1850 ProcessGroupNCCL.cpp:632] "
        watchdog += (f"{head}[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=41\n87, OpType="
                     "ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600034 milliseconds before timing "
                     f"out.\n{head}[PG ID 0 PG GUID 0(default_pg) Rank {rank}] Exception (either an error or timeout) "
                     "detected by watchdog at work: 4187, last enqueued NCCL work: 4187, last completed NCCL work: "
                     "4186.\n")
    gloo = ("terminate called after throwing an instance of 'gloo::EnforceNotMet'\n"
            "  what():  [enforce fail at pair.cc:456] "
            "op.preamble.length <= op.nbytes. 3072 vs 2732. Received data size doesn't match expected size.\n")
    put("hang_log", "gloo_sizes", b"\x10\0" + gloo.encode())
    put("hang_log", "watchdog", b"\xff\xff" + watchdog.encode())
    head = "[rank1]:[E1229 20:29:13.0912 ProcessGroupNCCL.cpp:1484] [PG ID 0 PG GUID 0(default_pg) Rank 1] "
    put("hang_log", "monitor", b"\x20\x20" + (
        f"{head}ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued "
        f"collectives.\n{head}ProcessGroupNCCL preparing to dump debug info. Include stack trace: 1\n{head}Could not "
        "acquire GIL within 300 ms on exit, possible GIL induced hang\n[rank1]:[I1229 FlightRecorderDetail.cpp:40] "
        "Finished writing Flight Recorder debug info to /tmp/nccl_trace_rank_1\n[rank2]:[E1126 11:17:52.18 "
        "WorkNCCL.cpp:240] [TC][rank=2][name=0] Operation timed out after 600012 ms\n").encode())


def flight_dump():
    hangs = ROOT / "tests/data/explain/hangs"
    put("flight_dump", "pickle", (hangs / "2.11.0/groups_crossed/dumps/end/nccl_trace_rank_2").read_bytes())
    put("flight_dump", "pickle_without_frames",
        (hangs / "2.15.0/one_rank_only/dumps/live/nccl_trace_rank_0").read_bytes())
    put("flight_dump", "json", (hangs / "2.15.0/groups_crossed/dumps/end/nccl_trace_rank_2.json").read_bytes())
    entry = {"record_id": 4, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 5,
             "profiling_name": "nccl:all_reduce", "input_sizes": [[2, 3]], "input_dtypes": ["Half"], "state": "started",
             "retired": False, "is_p2p": False, "time_created_ns": 5}
    put("flight_dump", "nccl", json.dumps({
        "version": "2.4", "entries": [entry], "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
        "pg_status": {"0": {"last_enqueued_collective": "5", "last_completed_collective": -1}}}, separators=(",", ":")))


def run_json():
    info = {"format": 1, "id": "x", "name": "nest", "state": "finished", "world_size": 2, "total_steps": 100,
            "supervisor_pid": 12, "supervisor_start_ticks": 34, "host": "h", "boot_id": "b", "start_ns": 5,
            "start_realtime_ns": 1700000000000000000, "end_realtime_ns": 1700000001000000000, "cause": "", "exit_code": 0,
            "argv": ["rankscopectl", "launch"], "config_path": "/tmp/a b.yaml", "faults": [], "rank_pids": [3, 4],
            "rank_start_ticks": [5, 6], "versions": {"rankscope": "0.1.0"}, "tags": ["a"], "overrides": ["a=1"],
            "ranks_asked": 2, "resumed_from": "", "relaunched_from": "", "imported_from": ""}
    put("run_json", "run", b"\0" + json.dumps(info, indent=2).encode())
    put("run_json", "live", b"\0" + json.dumps({**info, "state": "running", "total_steps": 0}).encode())
    marks = {"format": 1, "tags": [" a ", "b", "b"], "note": "n\u00fc", "favourite": True, "archived": False,
             "annotations": [{"id": 1, "first_step": 3, "last_step": 3, "time_ns": 5, "rank": -1, "text": "t",
                              "made_realtime_ns": 7}], "newer": {"kept": 1}}
    put("run_json", "marks", b"\1" + json.dumps(marks).encode())
    put("run_json", "no_marks", b"\1{}")
    # numbers that are too large for the integer fields
    put("run_json", "large_id", b"\1" + json.dumps(marks).replace('"id": 1', '"id": ' + 80 * "8").encode())
    put("run_json", "large_pid", b"\0" + json.dumps(info).replace("[3, 4]", "[3e80, 4]").encode())


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s


def tensor(name, key, elements, sizes, strides, storage=b"FloatStorage"):
    def numbers(values):
        return b"(" + b"".join(b"K" + bytes([v]) for v in values) + b"t"
    return (text(name) + b"ctorch._utils\n_rebuild_tensor_v2\n((" + text(b"storage") + b"ctorch\n" + storage + b"\n" +
            text(key) + text(b"cpu") + b"K" + bytes([elements]) + b"tQK\0" + numbers(sizes) + numbers(strides) +
            b"\x89ccollections\nOrderedDict\n)RtR")


def state(*tensors):
    return b"\x80\x02ccollections\nOrderedDict\n)R(" + b"".join(tensors) + b"u."


SMALL = state(tensor(b"w", b"0", 6, [2, 3], [3, 1]), tensor(b"b", b"0", 6, [2], [1]),
              tensor(b"n", b"1", 1, [], [], b"LongStorage"))


def zipped(records):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as z:
        for name, data in records:
            z.writestr(zipfile.ZipInfo("m/" + name), data)
    return out.getvalue()


def small_checkpoint():
    return zipped([("data.pkl", SMALL), ("byteorder", b"little"), ("data/0", bytes(24)), ("data/1", bytes(8))])


def checkpoint():
    for protocol in (2, 4):
        path = ROOT / f"tests/data/checkpoint/protocol{protocol}.ckpt"
        with zipfile.ZipFile(path) as z:
            put("pickle", f"protocol{protocol}", z.read(f"protocol{protocol}/data.pkl"))
    with zipfile.ZipFile(ROOT / "tests/data/checkpoint/lightning.ckpt") as z:
        put("pickle", "nemo", z.read("archive/data.pkl"))
    put("pickle", "small", SMALL)
    put("pickle", "lightning", b"\x80\x02}" + text(b"state_dict") + SMALL[2:-1] + b"s" + text(b"epoch") + b"K\5s.")
    put("pickle", "values", b"\x80\x04(K\xffM\x34\x12J\xfe\xff\xff\xff\x8a\x01\x80G\x3f\xf8\0\0\0\0\0\0\x88\x89N\x8c\x02hi"
                            b"](K\x01K\x02et\x94h\0\x86.")
    put("checkpoint", "small", small_checkpoint())
    put("checkpoint", "python", (ROOT / "tests/data/checkpoint/protocol2.ckpt").read_bytes())


def tarred(members, kind=tarfile.PAX_FORMAT, mode="w"):
    out = io.BytesIO()
    options = {"compresslevel": 9} if mode == "w:gz" else {}
    with tarfile.open(fileobj=out, mode=mode, format=kind, **options) as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            if isinstance(data, bytes):
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
            else:
                info.type, info.linkname = data
                tar.addfile(info)
    data = out.getvalue()
    if mode == "w:gz":  # without the creation time
        return data[:4] + bytes(4) + data[8:]
    return data.rstrip(b"\0") + bytes(1024)


def tars():
    config = b"target: nemo.EncDecDenoiseMaskedTokenPredModel\n"
    members = [("./model_config.yaml", config), ("./model_weights.ckpt", small_checkpoint()), ("./vocab.txt", b"x")]
    put("nemo", "plain.nemo", tarred(members))
    put("nemo", "packed.nemo", tarred(members, mode="w:gz"))
    put("nemo", "link.nemo", tarred([("model_config.yaml", (tarfile.SYMTYPE, "/etc/passwd")), *members]))
    put("nemo", "out.nemo", tarred([("../x", b"x"), *members]))
    put("tar", "ustar.tar", tarred([("a.wav", b"1" * 600), ("b/c.flac", b"2")], tarfile.USTAR_FORMAT))
    put("tar", "pax.tar", tarred([("ü" * 60 + ".wav", b"1" * 10), ("empty", b"")]))
    put("tar", "gnu.tar", tarred([("n" * 130 + ".wav", b"1" * 10), ("l", (tarfile.LNKTYPE, "x")),
                                  ("d", (tarfile.DIRTYPE, ""))], tarfile.GNU_FORMAT))


def safetensors():
    header = {"__metadata__": {"format": "pt"}, "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
              "b": {"dtype": "BOOL", "shape": [], "data_offsets": [24, 25]},
              "c": {"dtype": "I64", "shape": [0], "data_offsets": [25, 25]}}
    body = json.dumps(header).encode()
    whole = struct.pack("<Q", len(body)) + body + bytes(25)
    put("safetensors", "mended", b"\0" + whole)
    put("safetensors", "as_it_is", b"\1" + whole)
    put("safetensors", "empty", b"\0" + struct.pack("<Q", 2) + b"{}")


def varint(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def field(number, kind, payload):
    return varint(number << 3 | kind) + (varint(len(payload)) + payload if kind == 2 else payload)


def event(*values, step=3):
    summary = b"".join(field(1, 2, v) for v in values)
    return field(1, 1, struct.pack("<d", 1.7e9)) + field(2, 0, varint(step)) + field(5, 2, summary)


def events():
    simple = field(1, 2, b"loss") + field(2, 5, struct.pack("<f", 2.5))
    shape = field(2, 2, field(2, 2, field(1, 0, varint(1))))
    as_tensor = field(1, 2, b"lr") + field(8, 2, field(1, 0, varint(1)) + shape + field(4, 2, struct.pack("<f", 1e-3)))
    packed = field(1, 2, b"step") + field(8, 2, field(1, 0, varint(9)) + field(10, 2, varint(12345)))
    other = field(1, 2, b"histogram") + field(5, 2, b"abc")
    records = [event(simple, as_tensor, packed), event(other, step=2 ** 63), event(simple, step=4)]
    put("events", "records", b"\1" + b"".join(struct.pack("<H", len(r)) + r for r in records))
    source = ROOT / "tests/data/exchange/lightning/lightning_logs/version_0"
    put("events", "lightning", b"\0" + next(source.glob("events*")).read_bytes())


def hparams():
    source = ROOT / "tests/data/exchange/exp_manager/tiny/v0/hparams.yaml"
    put("hparams", "nemo.yaml", source.read_bytes())
    put("hparams", "small.yaml", "# made by NeMo\ncfg:\n  encoder: {d_model: 16}\n  optim:\n    name: adamw\n    lr: 1e-3\n")
    put("hparams", "other.yaml", "learning_rate: 0.1\nlayers: [1, 2]\n")


def store():
    def number(n):
        return struct.pack("<I", n)

    def cell(table, column, row, kind, value):
        return bytes([6, table, column, row, kind]) + (value if kind < 2 else bytes([len(value)]) + value)
    for question in range(8):
        put("store", f"sound{question}", bytes([question % 3, question]))
    put("store", "bytes", bytes([0, 0, 0]) + number(4000) + bytes([3]) + b"\xff" * 19 + bytes([0]) + number(100) + bytes(20))
    put("store", "cut", bytes([0, 1, 1]) + number(9000) + number(20000) + bytes(16))
    put("store", "log", bytes([1, 1, 4]) + number(600) + bytes([5]) + b"\x01" * 19)
    put("store", "log_cut", bytes([1, 3, 5]) + number(0) + number(5000) + bytes(16))
    put("store", "pages", bytes([2, 7, 3]) + number(7) + number(11) + bytes(16) + bytes([2]) + number(9) + bytes(20))
    extreme = struct.pack("<q", 2 ** 63 - 1)
    for question in range(8):
        put("store", f"cells{question}",
            bytes([2 if question == 7 else 0, question]) + cell(4, 3, 0, 0, extreme) + cell(9, 2, 1, 2, b"words") +
            cell(17, 1, 3, 0, struct.pack("<q", -2 ** 63)) + cell(8, 1, 0, 1, struct.pack("<d", float("nan"))))
    put("store", "group", bytes([0, 5]) + cell(44, 0, 0, 0, struct.pack("<q", -1)))  # of the detector's input
    put("store", "times", bytes.fromhex("4257498904a2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c3c2c28d616423036423038d6169807f"))  # of a series
    put("store", "text", bytes([128, 0]) + b"no store")


RECORDS = {1: 160, 2: 128, 3: 48, 4: 144, 5: 96, 6: 56, 7: 232, 8: 208, 9: 88, 10: 256}  # docs/dev/telemetry.md


def record(kind, texts=()):
    slot = bytearray(256)
    struct.pack_into("<IHHqq", slot, 0, RECORDS[kind], kind, 1, 1_000_000_000, 7)
    for at, words in texts:
        slot[at:at + len(words)] = words
    return bytes(slot)


def segment(number, records, slots):
    header = struct.pack("<8sIIIIQq", b"RSJURNL", 1, 256, slots, 7, number, 5)
    return header.ljust(256, b"\0") + b"".join(records)


def journal():
    every = [record(1, [(64, b"host")]), record(2), record(3), record(4, [(80, b"gradient:0")]), record(5), record(6),
             record(9), record(10, [(32, b"batches"), (56, b"3 batches")]), record(7, [(32, b"a note")]), record(8)]
    torn = bytes(256)
    put("journal", "one", b"\0" + segment(0, every, 16))
    put("journal", "as_it_is", b"\x0c" + segment(0, every[:4], 4))
    put("journal", "two", b"\x09" + segment(0, every[:3], 3) + segment(1, every[6:9], 3))
    put("journal", "gap", b"\x1b" + segment(0, every, 10) + segment(2, every, 10))
    put("journal", "torn", b"\x08" + segment(0, [every[0], torn, every[4], torn], 4))


def board():
    page = bytearray(4096)
    page[:16] = struct.pack("<8sII", b"RSBOARD", 1, 4096)
    training = struct.pack("<QiiiiQQqqqqBBBBiii", 2, 1, 2, 99, 0, 5, 6, 10**9, 12, 100, 10**9, 2, 7, 4, 0, 3, 8, 0)
    page[64:64 + len(training)] = training
    page[512:512 + 16 + 11] = struct.pack("<Qq", 2, 10**9) + b"/data/a.wav"
    page[1536:1552] = struct.pack("<QQ", 4 << 32 | 2, 0)
    for group in range(2):
        entered = struct.pack("<QQqQQqqBB6x", group + 1, 3, 10**9, 2, 4, 512, 10**9, 0, 6) + b"gradient:0"
        page[2048 + 256 * group:2048 + 256 * group + len(entered)] = entered
    put("board", "running", b"\0" + page)
    put("board", "as_it_is", b"\1" + page)
    put("board", "starting", b"\0")


def query():
    put("query", "words", "nest \"two words\" or not (live and loss<5)")
    put("query", "tests", "state:failed memory>=2GiB duration<1.5h started>2026-01-31T12:30 tag=night model.optim.lr=1e-3 steps!=10k")
    put("query", "wrong", "loss<\nname:(\"a\" or")


def log():
    lines = ("2025-01-31 12:04:31.123 [W] rank 0: slow loader\n  the rest of it\n12:04:32 error: \x1b[31mred\x1b[0m\n"
             "[2025-01-31T12:04:33Z] INFO ready\r\n50%|=====     |\r100%|done\nplain\nno end")
    put("log", "words", b"\0loader\n" + lines.encode())
    put("log", "pattern", b"\4r(e|a)d+ ?\n" + lines.encode())
    put("log", "warnings", b"\2\n" + lines.encode())
    put("log", "loops", b"\4(a+)+$\n" + b"a" * 60 + b"!\n" + lines.encode())


for make in (overrides, manifest, run_json, checkpoint, tars, safetensors, events, hparams, journal, board, store, query, log,
             hang_log, flight_dump):
    make()
