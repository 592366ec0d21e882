# SPDX-License-Identifier: Apache-2.0
"""How a run must have ended, given what was done to it and what its ranks reported last."""
from dataclasses import dataclass, field

from telemetry import FINISHED, STOPPED

CODES = {"finished": 0, "failed": 3, "stopped": 4}


@dataclass
class Done:
    """What was done to a run."""
    supervisor_killed: bool = False
    stop_asked: bool = False
    ranks_killed: list = field(default_factory=list)
    asked: list = field(default_factory=list)  # (rank, signal): this rank alone was asked to leave
    other_boot: bool = False  # launched with a boot id other than the one it is viewed with
    looked_from_other_boot: bool = False  # by a command that may have brought it up to date


def _said(journals, cause):
    return all(j.end and j.end[0] == cause for j in journals)


def _alive(done, journals):
    """Returns the possible ends if the supervisor lives to the end."""
    ends = []
    finished = _said(journals, FINISHED)
    if done.ranks_killed:
        ends += [("failed", f"rank {r} ended with SIGKILL") for r in done.ranks_killed]
        if finished or done.stop_asked or done.asked:  # the rank had left, or the stop came just before
            ends.append(("finished", "finished"))
    if finished and not done.ranks_killed:
        ends.append(("finished", "finished"))
    if done.stop_asked and not finished:
        ends.append(("stopped", "stopped by the user"))
    if done.asked and not finished:
        ends += [("stopped", f"asked to leave by {name} from") for _, name in done.asked]
    return ends


def _recovered(journals, done):
    if _said(journals, FINISHED):
        return [("finished", "its supervisor was lost before it could say so")]
    if _said(journals, STOPPED):
        return [("stopped", "its supervisor was lost before it could say so")]
    restarted, killed = "its supervisor was lost (the machine", "its supervisor was lost (killed)"
    if done.looked_from_other_boot:
        return [("failed", restarted), ("failed", killed)]
    return [("failed", restarted if done.other_boot else killed)]


def allowed(done, journals):
    """Returns pairs of a state and what the cause must contain."""
    return _alive(done, journals) + (_recovered(journals, done) if done.supervisor_killed else [])


def wrong(info, done, journals):
    """Returns a sentence about what is wrong, or nothing."""
    ends = allowed(done, journals)
    state, cause = info.get("state"), info.get("cause", "")
    if not any(state == s and words in cause for s, words in ends):
        return f"{state} ({cause}), expected one of {ends}"
    if info.get("exit_code") != CODES[state]:
        return f"{state} with exit code {info.get('exit_code')}"
    if not info.get("end_realtime_ns"):
        return f"{state} without a time of its end"
    if info["end_realtime_ns"] < info["start_realtime_ns"]:
        return f"{state} before it began"
    return ""
