#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if comments, texts or documents contain words that read as if translated.

usage: lint_words.py ROOT

Each rule is a regular expression and what to write instead. The script reads the comments and texts of all sources, the
documents, the configurations and the scripts, but not identifiers, and no Chinese.
"""
import pathlib
import re
import sys

# Phrases that a native speaker would not use here, and what to write instead.
RULES = {
    r"\bl(?:ies|ie|ay|ain) (?:in|on|at|below|under|beside|between|behind|beyond|within)\b": "is in, is stored in",
    r"\bst(?:ands|and|ood) (?:in|on|at|below|under|beside|there|for itself)\b(?! line)": "is in, is written in",
    r"\b(?:is|are|was|were|be|been) told\b(?! apart)": "is reported",
    r"\b(?:tells|tell|telling|told) (?:of|about)\b": "reports, describes",
    r"\b(?:goes|go|going|went|gone) on\b(?= as|\.|,|;| with| from| at| after| until| without)": "continues",
    r"\bkeeps? (?:its|their) way\b": "continues",
    r"\bpass(?:es|ed|ing)? over\b": "skip",
    r"\bof (?:its|their) own(?= *(?:[.,;:)\"']|$| (?:and|from|in|at|is|per|that|with)\b))": "own, separate",
    r"\bturned round\b": "reversed",
    r"\b[Ww]ho(?:so)?ever\b": "the caller, the process that, anyone who",
    r"\banew\b": "again",
    r"\breckon": "estimate",
    r"\bdearest\b": "costliest",
    r"\bbeside\b": "next to",
    r"\b(?:come|comes|came|coming) away empty\b": "get nothing",
    r"\bthat what\b": "what",
    r"\bin the mean\b": "on average",
    r"\bmeant (?:it|them) so\b": "intended",
}
SOURCES = ("core/**/*.cpp", "core/**/*.h", "widgets/**/*.cpp", "widgets/**/*.h", "app/**/*.cpp", "app/**/*.h")
TESTS = ("tests/**/*.cpp", "tests/**/*.h")  # their texts are data
TEXTS = ("README.md", "docs/*.md", "docs/dev/*.md", "resources/**/*.json", "core/**/*.json", "configs/*.yaml",
         "packaging/man/*", "packaging/*.sh")
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def comment_of(line):
    """The comment in a line of C++."""
    return LITERAL.sub('""', line).partition("//")[2]


def prose_of(line):
    """The comment and the texts in a line of C++."""
    texts = [text[1:-1] for text in LITERAL.findall(line) if " " in text and "SELECT" not in text]
    return " ".join([*texts, comment_of(line)])


def main():
    root = pathlib.Path(sys.argv[1])
    rules = [(re.compile(pattern), instead) for pattern, instead in RULES.items()]
    faults = lines = 0
    for patterns, prose in ((SOURCES, prose_of), (TESTS, comment_of), (TEXTS, lambda line: line)):
        for path in sorted({path for pattern in patterns for path in root.glob(pattern)}):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                text = prose(line)
                lines += bool(text)
                for pattern, instead in rules:
                    if found := pattern.search(text):
                        faults += 1
                        print(f"{path.relative_to(root)}:{number}: '{found.group()}'; write: {instead}")
    if lines < 5000:
        sys.exit(f"only {lines} lines were read")
    print(f"{lines} lines of comments and texts, {faults} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
