# SPDX-License-Identifier: Apache-2.0
"""Steps that check that the programs start, and that the model computes on the device what NeMo computed."""
import concurrent.futures
import json
import os

from trial import StepFailed, StepSkipped


def start(trial, programs):
    """Starts the programs: the first thing that fails if a library is missing."""
    text = trial.run("start", [programs.trainer, "--version"], programs.env)
    versions = dict(line.split(" ", 1) for line in text.splitlines() if " " in line)
    nccl = versions.get("NCCL", "")
    if not programs.rehearsal and not nccl[:1].isdigit():
        raise StepFailed(f"the NCCL plug-in does not load: {nccl}")
    trial.run("start-ctl", [programs.ctl, "--version"], programs.env)
    return versions


def one_reference(trial, programs, stem, threads):
    weights = programs.references / f"{stem}.safetensors"
    words = [programs.trainer, "verify", weights, weights.with_suffix(".yaml"), "--device", programs.device, "--json"]
    process = trial.start(f"verify-{stem}", words, {**programs.env, "OMP_NUM_THREADS": str(threads)})
    code, out, err = trial.finish(process, f"verify-{stem}")
    if code not in (0, 1):
        return {"passed": False, "why": (err or out).strip()[-300:], "checks": []}
    return {**json.loads(out), "why": ""}


def worst_of_each(results):
    """The worst value of all variants for each kind of figure, as a share of the allowed one."""
    worst = {}
    for stem, result in sorted(results.items()):
        for check in result["checks"]:
            value, limit = check["worst"], check["limit"]
            used = float("inf") if value is None else limit / value if check["at_least"] and value else \
                value / limit if limit else float(value)
            if check["check"] not in worst or used > worst[check["check"]]["used"]:
                worst[check["check"]] = {"used": used, "worst": value, "allowed": limit, "variant": stem,
                                         "where": check["where"]}
    return worst


def verify(trial, programs):
    """Verifies all variants, several at a time: each process needs seconds to start, and little of the GPU."""
    stems = sorted(p.stem for p in programs.references.glob("*.safetensors") if p.with_suffix(".yaml").exists())
    if not stems:
        raise StepSkipped(f"{programs.references} has no references")
    cores = len(os.sched_getaffinity(0))
    together = max(1, min(8, cores // 2))
    with concurrent.futures.ThreadPoolExecutor(together) as pool:
        results = dict(zip(stems, pool.map(lambda stem: one_reference(trial, programs, stem, cores // together), stems)))
    bad = {stem: r["why"] or "; ".join(f"{c['check']} {c['worst']} (allowed {c['limit']:g}, {c['where']})"
                                       for c in r["checks"] if not c["passed"])
           for stem, r in results.items() if not r["passed"]}
    figures = {"variants": len(stems), "passed": len(stems) - len(bad), "failed": bad, "worst": worst_of_each(results)}
    if bad:
        failure = StepFailed(f"{len(bad)} of {len(stems)} variants: {', '.join(sorted(bad))}")
        failure.figures = figures
        raise failure
    return figures
