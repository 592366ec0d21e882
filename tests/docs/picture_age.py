#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails if a picture of the documents is older than what it shows. Run by ctest as picture_age.

usage: picture_age.py ROOT [--write]

Each picture shows the texts of some folders (a Chinese picture their translations) and the colors of the theme.
packaging/pictures.sh takes the pictures and, with --write, records in docs/images/shown.json what they show. Comments,
names and tests can change without new pictures.
"""
import hashlib
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

EVERYWHERE = ("main_window/chrome", "theme")
# Picture, without theme or language: the folders of widgets/ whose texts are in it.
PICTURES = {
    "configure": (
        "config/edits", "config/launch", "config/model", "config/nemo", "config/page", "config/plan",
        "config/problems", "config/sync", "config/tree",
    ),
    "explain": ("explain",),
    "incidents": ("incidents",),
    "logs": ("logs",),
    "review": ("incidents", "plots/plot", "review/bars", "review/board", "review/page", "review/panes"),
    "runs": ("runs/panel", "runs_page/filter", "runs_page/page", "runs_page/table"),
    "timeline": ("timeline/page", "timeline/view", "waits"),
    "watched": ("incidents", "plots/plot", "review/bars", "review/board", "review/page", "review/panes"),
    "welcome": ("main_window/chrome",),
}
TEXT = re.compile(r'\b(?:tr|QT_TR_NOOP|QT_TRANSLATE_NOOP)\(((?:\s*"(?:[^"\\]|\\.)*"\s*,?)+)')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
COLOUR = re.compile(r"(?:QColor|qRgb|rgb)\([^)]*\)")


def texts_in(folder):
    found = set()
    for path in folder.rglob("*.cpp"):
        for match in TEXT.finditer(path.read_text(encoding="utf-8")):
            found.add("".join(LITERAL.findall(match.group(1))))
    return found


def shown(root, picture):
    subject, variant = picture.rsplit("-", 1)
    texts = set()
    for name in (*EVERYWHERE, *PICTURES[subject]):
        folder = root / "widgets" / name
        if folder.is_dir():
            texts |= texts_in(folder)
    if variant == "zh":
        translations = ElementTree.parse(root / "resources/translations/rankscope_zh_CN.ts")
        chinese = {m.findtext("source"): m.findtext("translation") for m in translations.iter("message")}
        texts |= {chinese.get(text) or "" for text in texts}
    for path in sorted((root / "widgets/theme").glob("*.cpp")):
        texts |= set(COLOUR.findall(path.read_text(encoding="utf-8")))
    return texts


def main():
    root = pathlib.Path(sys.argv[1])
    record = root / "docs/images/shown.json"
    now = {}
    for path in sorted((root / "docs/images").glob("*.png")):
        texts = shown(root, path.stem)
        if len(texts) < 20:
            sys.exit(f"{path.name}: only {len(texts)} texts were found; folders of PICTURES may have moved")
        now[path.name] = hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()[:16]
    if "--write" in sys.argv:
        record.write_text(json.dumps(now, indent=1) + "\n")
        return 0
    then = json.loads(record.read_text()) if record.exists() else {}
    old = [name for name in sorted(set(now) | set(then)) if now.get(name) != then.get(name)]
    for name in old:
        print(f"docs/images/{name} is older than the texts or colours in it: run packaging/pictures.sh")
    print(f"{len(now)} pictures, {len(old)} too old")
    return bool(old)


if __name__ == "__main__":
    sys.exit(main())
