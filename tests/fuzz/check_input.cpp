// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/check_input.h"

#include "core/base/text/unit_format.h"
#include "core/config/edit/document.h"
#include "core/config/edit/document_edit.h"
#include "core/config/effective/effective.h"
#include "core/config/yaml/yaml_parser.h"
#include "tests/core/config/edit/same_node.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

namespace rankscope::config::test {
namespace {

struct Broken {
    std::string what;
};

void require(bool fine, const std::string& what) {
    if (!fine)
        throw Broken{what};
}

struct Input {
    std::string text;
    std::vector<std::string> commands, overrides;
};

Input split(const std::string& bytes) {
    Input input;
    const auto mark = bytes.find("\n%%\n");
    input.text = bytes.substr(0, mark == std::string::npos ? bytes.size() : mark + 1);
    if (mark == std::string::npos)
        return input;
    std::istringstream rest(bytes.substr(mark + 4));
    for (std::string line; std::getline(rest, line) && input.commands.size() + input.overrides.size() < 20;) {
        const std::string word = line.substr(0, line.find(' '));
        const bool command = word == "change" || word == "add" || word == "remove" || word == "move";
        (command ? input.commands : input.overrides).push_back(line);
    }
    return input;
}

Path pathOf(const std::string& word) {
    return word == "." ? Path{} : splitKey(word);
}

std::size_t indexOf(const std::string& word) {
    std::size_t index = kAtEnd;
    std::from_chars(word.data(), word.data() + word.size(), index);
    return index;
}

Result<Edit> run(const Document& d, const std::string& command) {
    std::istringstream in(command);
    std::string what, key, parent, index, name, value;
    in >> what >> key;
    if (what == "remove")
        return removeValue(d, pathOf(key));
    if (what == "move") {
        in >> parent >> index >> name;
        return moveValue(d, pathOf(key), {pathOf(parent), name, indexOf(index)});
    }
    if (what == "add")
        in >> index >> name;
    std::getline(in >> std::ws, value);
    return what == "add" ? addValue(d, {pathOf(key), name, indexOf(index)}, value) : changeValue(d, pathOf(key), value);
}

void checkEdit(const Document& before, const Result<Edit>& edit) {
    if (!edit)
        return require(!edit.error().what.empty(), "a refusal without a reason");
    const std::string& old = before.text();
    const std::string& text = edit->after.text();
    require(edit->begin <= edit->end && edit->end <= old.size(), "a range beyond the text");
    require(text == old.substr(0, edit->begin) + edit->added + old.substr(edit->end),
            "bytes outside the range changed");
    require(old.substr(edit->begin, edit->end - edit->begin) == edit->removed, "other bytes were removed");
    const auto whole = parseYaml(text);
    require(whole && edit->after.root() && sameNode(*whole, *edit->after.root()),
            "what was read in part is not the whole");
}

/// Collects every path in the file.
void collect(const Node& node, const Path& at, std::vector<Path>& out) {
    if (out.size() > 2000)
        return;
    out.push_back(at);
    Path below = at;
    below.emplace_back();
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        below.back() = std::to_string(i);
        collect(node.items[i], below, out);
    }
    for (const auto& e : node.entries) {
        below.back() = e.key.text;
        collect(e.value, below, out);
    }
}

/// Makes edits that the text itself determines.
void checkOwnEdits(const Document& first) {
    std::uint64_t dice = hash64(first.text());
    const auto below = [&](std::size_t n) {
        dice = dice * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<std::size_t>(dice >> 33) % n;
    };
    Document d = first;
    for (int i = 0; i < 8 && d.root(); ++i) {
        std::vector<Path> paths;
        collect(*d.root(), {}, paths);
        const Path &one = paths[below(paths.size())], &other = paths[below(paths.size())];
        const std::size_t index = below(3) == 0 ? below(4) : kAtEnd;
        const std::string name = below(2) == 0 ? "x" + std::to_string(i) : "";
        static const std::vector<std::string> values{"5",    "two words", "[1, {a: b}]", "'#'",
                                                     "null", "{}",        "\"\\t\"",     "a,b"};
        const std::string& value = values[below(values.size())];
        const std::size_t what = below(4);
        auto edit = what == 0   ? changeValue(d, one, value)
                    : what == 1 ? addValue(d, {one, "x" + std::to_string(i), index}, value)
                    : what == 2 ? removeValue(d, one)
                                : moveValue(d, one, {other, name, index});
        checkEdit(d, edit);
        if (edit)
            d = std::move(edit->after);
    }
}

/// Simulates typing: changes a few bytes anywhere.
void checkTyping(const Document& d) {
    static const std::vector<std::string> typed{"", "a", " ", "\n", ": ", "\"", "[", "- ", "#", "\n  b: 1", "&x ", "é"};
    std::uint64_t dice = hash64(d.text(), 7);
    for (int i = 0; i < 6; ++i) {
        dice = dice * 6364136223846793005ull + 1442695040888963407ull;
        const std::size_t begin = static_cast<std::size_t>(dice >> 33) % (d.text().size() + 1);
        const std::size_t end = std::min(begin + static_cast<std::size_t>(dice >> 20) % 4, d.text().size());
        std::string text = d.text();
        text.replace(begin, end - begin, typed[static_cast<std::size_t>(dice >> 40) % typed.size()]);
        const Document part = reparsed(d, text, {begin, end});
        const auto whole = parseYaml(text);
        if (whole.has_value() != (part.root() != nullptr))
            throw Broken{fmt::format("bytes {} to {} typed: read {} it is broken: {}", begin, end,
                                     whole ? "in part" : "as a whole",
                                     whole ? part.parseError()->text.english() : whole.error().text.english())};
        require(!whole || sameNode(*whole, *part.root()),
                fmt::format("bytes {} to {} typed: read in part is not read as a whole", begin, end));
        require(whole || whole.error().text == part.parseError()->text, "another error when read in part");
    }
}

void check(const Input& input) {
    const Effective e = evaluate(input.text, "fuzz.yaml", input.overrides);
    for (const auto& problem : e.problems)
        require(!problem.text.empty() && problem.at.line >= 0 && problem.at.column >= 0, "a problem without words");
    const Document d = Document::fromText(input.text, "fuzz.yaml");
    require(d.text() == input.text, "the text is another one");
    if (!d.root())
        return require(!d.parseError()->text.empty() && !e.ok() && e.rows.empty(), "broken, but not told");
    if (const auto read = parseYaml(e.text); !read) {
        const Position at = read.error().at;
        throw Broken{fmt::format("effective.yaml:{}:{}: {}", at.line, at.column, read.error().text.english())};
    }
    if (hash64(input.text, 3) % 4 == 0) { // only for some inputs: it takes as long as everything else
        const Effective again = evaluate(d, input.overrides);
        require(again.text == e.text && again.problems.size() == e.problems.size() &&
                    again.rows.size() == e.rows.size(),
                "another answer from the same text");
    }
    Document now = d;
    for (const auto& command : input.commands) {
        auto edit = run(now, command);
        checkEdit(now, edit);
        if (edit)
            now = std::move(edit->after);
    }
    checkOwnEdits(d);
    checkTyping(d);
}

} // namespace

std::string checkInput(const std::string& bytes) {
    try {
        check(split(bytes));
    } catch (const Broken& broken) {
        return broken.what;
    }
    return {};
}

} // namespace rankscope::config::test
