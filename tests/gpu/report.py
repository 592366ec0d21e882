# SPDX-License-Identifier: Apache-2.0
"""Formats results.json as Markdown, as in docs/gpu.md."""

PHASES = ("mel", "quantizer", "mask", "encoder", "decoder_loss", "backward", "optimizer")


def number(value, digits=1):
    return "–" if value is None else f"{value:,.{digits}f}"


def table(heading, align, rows):
    lines = ["| " + " | ".join(heading) + " |", "|" + "|".join("---:" if right else "---" for right in align) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def short_kernel(name):
    """The kernel's name without template arguments and return type, as a person would call it."""
    plain, depth = "", 0
    for letter in name.replace("(anonymous namespace)::", ""):
        depth += letter == "<"
        if depth == 0 and letter != "|":
            plain += letter
        depth -= letter == ">"
    plain = plain.split("(")[0].strip() or name
    return plain.removeprefix("void ")[:70]


def steps_table(results):
    return table(("step", "", "s", "why"), (False, False, True, False),
                 [(s["step"], s["status"], number(s["seconds"], 0), s["reason"].replace("|", "/")[:200]) for s in results["steps"]])


def speed_table(rows, theirs):
    other = {(t["size"], t["precision"]): t for t in theirs}
    heading = ["model", "precision", "step, ms", "hours of audio a minute", *[p.replace("_", ", ") for p in PHASES], "peak, MiB"]
    if theirs:
        heading += ["NeMo, step, ms", "NeMo, peak, MiB", "NeMo / Rankscope"]
    lines = []
    for r in rows:
        line = [f"{r['size']}, {r['params'] / 1e6:.1f} M", r["precision"], number(r["step"]),
                number(r["batch"] * r["seconds"] / r["step"] * 1000 * 60 / 3600, 1), *[number(r[p], 2) for p in PHASES],
                number(r.get("peak_gpu_mib"), 0)]
        if theirs:
            t = other.get((r["size"], r["precision"]))
            same = t is not None and t["params"] == r["params"]
            line += [number(t["step"]), number(t.get("peak_gpu_mib"), 0), number(t["step"] / r["step"], 2)] if same else \
                ["–" if t is None else "another model", "–", "–"]
        lines.append(line)
    return table(heading, [False, False] + [True] * (len(heading) - 2), lines)


def kernel_table(rows):
    lines = []
    for r in rows:
        whole = r.get("kernels_ms")
        for kernel in r.get("kernels", []) if whole else []:
            lines.append((r["size"], r["precision"], f"{100 * kernel['ms'] / whole:.1f} %", number(kernel["ms"], 2),
                          kernel["calls"], f"`{short_kernel(kernel['name'])}`"))
    return table(("model", "precision", "of kernel time", "ms", "calls", "kernel"), (False, False, True, True, True, False), lines)


def verify_table(worst):
    return table(("check", "worst", "allowed", "variant"), (False, True, True, False),
                 [(name, "–" if w["worst"] is None else f"{w['worst']:.3g}", f"{w['allowed']:.3g}", w["variant"])
                  for name, w in worst.items()])


def waits_table(delays):
    return table(("sleeper", "step", "planted, s", "its data wait (events), s", "the other's forward (events), s", "stored wait, s"),
                 (True,) * 6, [(d["rank"], d["step"], d["planted_s"], d["data_wait_s"], d["forward_of_the_other_s"],
                                d["stored_wait_s"]) for d in delays])


def figures_of(results, name):
    return next((s["figures"] for s in results["steps"] if s["step"] == name), None) or {}


def markdown(results):
    machine = results["machine"]
    parts = [f"**Machine**: {'; '.join(machine['gpus']) or 'no GPU'}; {machine['processor']}; torch {machine['torch']}. "
             f"{results['date']}, {results['seconds']:.0f} s in all.", steps_table(results)]
    if results["rehearsal"]:
        parts.insert(0, "**A rehearsal on the CPU**: what it says of speed means nothing.")
    verified, waited = figures_of(results, "verify"), figures_of(results, "waits")
    if verified.get("worst"):
        parts += [f"{verified['passed']} of {verified['variants']} variants are within their tolerances:", verify_table(verified["worst"])]
    if waited.get("delays"):
        parts += ["Planted delays between two ranks:", waits_table(waited["delays"])]
    speed = [s["figures"] for s in results["steps"] if s["step"].startswith("speed") and s["status"] == "passed"]
    if speed:
        theirs = figures_of(results, "nemo").get("measured", [])
        parts += [f"One training step, batch {speed[0]['batch']} x {speed[0]['seconds']:g} s, ms by the stream's events, medians:",
                  speed_table(speed, theirs)]
        if any(row.get("kernels") for row in speed):
            parts += ["Kernels of one step:", kernel_table(speed)]
        if any(row.get("kernels") for row in theirs):
            parts += ["NeMo's:", kernel_table(theirs)]
    return "\n\n".join(parts) + "\n"
