// SPDX-License-Identifier: Apache-2.0
#include "core/config/splices.h"

#include "core/config/bytes.h"
#include "core/config/scalar.h"

#include <fmt/format.h>

namespace rankscope::config {
namespace {

/// The way to a node: each container with what surrounds it, and the entry taken.
struct Step {
    const Node* container = nullptr;
    Surroundings around; ///< of the container
    const Entry* entry = nullptr;
    const Node* node = nullptr; ///< the child
};

struct Refusal {
    Error error;
};

[[noreturn]] void refuse(Errc code, std::string what) {
    throw Refusal{Error{code, std::move(what), {}}};
}

bool isNull(const Node& node) {
    return typeOf(node) == Type::Null;
}

class Editor {
public:
    Editor(const std::string& text, const Node& root, const Path& path) : m_text(text), m_root(root), m_path(path) {
        walk();
    }

    std::string set(const std::string& value) {
        return m_steps.size() == m_path.size() ? replace(m_steps.back(), value) : insert(value);
    }

    std::string remove() {
        if (m_steps.size() != m_path.size())
            refuse(Errc::NotFound, fmt::format("there is no key {}", joinKey(m_path)));
        const Step& step = m_steps.back();
        if (!step.entry)
            refuse(Errc::Unsupported, "single values of a list cannot be removed here; set the whole list");
        return step.container->flow || step.around.flow ? removeFromFlow(step) : removeFromBlock(step);
    }

private:
    /// As far as the path exists and is written here; what an alias or "<<" brings in counts as absent.
    void walk() {
        const Node* node = &m_root;
        Surroundings around;
        for (const auto& name : m_path) {
            if (node->alias && (node->isMap() || node->isList()))
                refuse(
                    Errc::Unsupported,
                    fmt::format("{} is an alias of another section; edit that section, or the text", joinKey(taken())));
            const Node* child = node->child(name);
            const Entry* entry = node->isMap() ? node->entry(name) : nullptr;
            if (entry && entry->merged && child->isMap() && &name != &m_path.back())
                refuse(Errc::Unsupported,
                       fmt::format("{} is brought in by <<; edit the section that it comes from, or the text",
                                   joinKey(joinKey(taken()), name)));
            if (!child || (entry && entry->merged))
                return;
            m_steps.push_back({node, around, entry, child});
            around = inside(*node, around);
            node = child;
        }
    }

    Path taken() const { return {m_path.begin(), m_path.begin() + static_cast<std::ptrdiff_t>(m_steps.size())}; }

    std::string spliced(ByteRange range, const std::string& by) const {
        return m_text.substr(0, range.begin) + by + m_text.substr(range.end);
    }

    std::string lineBreak() const {
        const auto first = m_text.find_first_of("\r\n");
        return first == std::string::npos ? "\n" : m_text.substr(first, skipBreak(m_text, first) - first);
    }

    std::size_t colon(const Step& step) const {
        const auto at = colonAfter(m_text, step.entry->key, inside(*step.container, step.around));
        if (at == kNowhere)
            refuse(Errc::Unsupported, fmt::format("{} is not written as key: value; edit the text", joinKey(taken())));
        return at;
    }

    bool isFlow(const Step& step) const { return step.around.flow || step.container->flow; }

    /// In brackets a bare word must hold no comma or bracket.
    std::string fitted(const std::string& value, bool flow) const {
        if (!flow)
            return value;
        const auto there = parseYaml("{k: " + value + "}");
        const auto alone = parseYaml(value);
        if (there && there->entries.size() == 1 && alone && sameValue(there->entries[0].value, *alone))
            return value;
        return "\"" + escapedQuotes(alone ? alone->text : value) + "\"";
    }

    static std::string escapedQuotes(const std::string& text) {
        std::string out;
        for (const char c : text) {
            if (c == '"' || c == '\\')
                out += '\\';
            out += c;
        }
        return out;
    }

    std::string replace(const Step& step, const std::string& value) {
        const Node& node = *step.node;
        const Surroundings within = inside(*step.container, step.around);
        const std::string fit = fitted(value, within.flow);
        if (node.kind == Node::Kind::Null && !node.alias) {
            if (!step.entry)
                refuse(Errc::Unsupported, "an empty value of a list cannot be set here; set the whole list");
            const auto at = colon(step) + 1;
            return spliced({at, at}, " " + fit);
        }
        if (!node.flow && !node.alias && (node.isList() || node.isMap()))
            return replaceBlock(step, fit, nodeEnd(m_text, node, within));
        const std::size_t begin =
            node.alias || (node.tagged && !node.anchored) ? node.offset : contentBegin(m_text, node);
        return spliced({begin, nodeEnd(m_text, node, within)}, fit);
    }

    /// "key: # why" and the indented lines below become "key: value # why".
    std::string replaceBlock(const Step& step, const std::string& value, std::size_t end) {
        if (!step.entry)
            refuse(Errc::Unsupported, "a section inside of a list cannot be replaced here; edit the text");
        const auto begin = colon(step) + 1;
        const std::string rest = m_text.substr(begin, std::min(lineEnd(m_text, begin), end) - begin);
        const bool comment = rest.find_first_not_of(" \t") != std::string::npos;
        return spliced({begin, end}, " " + value + (comment ? rest : ""));
    }

    std::string insert(const std::string& value) {
        const Path rest(m_path.begin() + static_cast<std::ptrdiff_t>(m_steps.size()), m_path.end());
        if (m_steps.empty())
            return insertInto(m_root, {}, nullptr, rest, value);
        const Step& last = m_steps.back();
        return insertInto(*last.node, inside(*last.container, last.around), &last, rest, value);
    }

    std::string insertInto(const Node& section, const Surroundings& around, const Step* step, const Path& rest,
                           const std::string& value) {
        if (section.isMap() && (section.flow || around.flow))
            return insertInFlow(section, around, rest, value);
        if (section.isMap() && !section.entries.empty())
            return insertInBlock(section, around, rest, value);
        if (!isNull(section))
            refuse(Errc::BadInput, fmt::format("{} is a value, not a section: {} cannot be set below it",
                                               joinKey(taken()), rest.back()));
        return step ? fillNull(*step, rest, value) : fillDocument(rest, value);
    }

    /// "\n  a:\n    b: value", each line begun by a line break.
    std::string lines(const Path& rest, int indent, const std::string& value) const {
        std::string out;
        for (std::size_t i = 0; i < rest.size(); ++i) {
            out +=
                lineBreak() + std::string(static_cast<std::size_t>(indent), ' ') + toText(Node::string(rest[i])) + ":";
            indent += step();
        }
        return out + " " + value;
    }

    std::string inBraces(const Path& rest, const std::string& value) const {
        std::string out = fitted(value, true);
        for (auto it = rest.rbegin(); it != rest.rend(); ++it)
            out = (it == rest.rbegin() ? "" : "{") + out + (it == rest.rbegin() ? "" : "}"),
            out = toText(Node::string(*it)) + ": " + out;
        return out;
    }

    std::string insertInFlow(const Node& section, const Surroundings& around, const Path& rest,
                             const std::string& value) {
        const Entry* last = nullptr;
        for (const auto& e : section.entries)
            if (!e.merged)
                last = &e;
        const std::size_t at =
            last ? entryEnd(m_text, *last, inside(section, around)) : contentBegin(m_text, section) + 1;
        const bool bare = last && last->value.kind == Node::Kind::Null; // "e:," is no key
        return spliced({at, at}, (bare ? " , " : last ? ", " : "") + inBraces(rest, value));
    }

    std::string insertInBlock(const Node& section, const Surroundings& around, const Path& rest,
                              const std::string& value) {
        const Surroundings within = inside(section, around);
        std::size_t end = section.offset;
        for (const auto& e : section.entries)
            if (!e.merged)
                end = entryEnd(m_text, e, within);
        const std::size_t at = lineEnd(m_text, end);
        return spliced({at, at}, lines(rest, within.indent, value));
    }

    /// "section:" or "section: null" becomes a section.
    std::string fillNull(const Step& step, const Path& rest, const std::string& value) {
        const Surroundings within = inside(*step.container, step.around);
        if (isFlow(step))
            return replace(step, "{" + inBraces(rest, value) + "}");
        if (!step.entry)
            refuse(Errc::Unsupported, "an empty value of a list cannot become a section here; edit the text");
        std::string text = m_text;
        const std::size_t begin = colon(step) + 1;
        if (step.node->isScalar() || step.node->alias)
            text.erase(begin, nodeEnd(m_text, *step.node, within) - begin);
        return text.insert(lineEnd(text, begin), lines(rest, within.indent + this->step(), value));
    }

    std::string fillDocument(const Path& rest, const std::string& value) {
        if (m_root.isScalar())
            refuse(Errc::Unsupported, "the document is the word null; edit the text");
        const bool fresh = m_text.empty() || m_text.back() == '\n' || m_text == "\xef\xbb\xbf";
        const std::string added = lines(rest, 0, value);
        return m_text + (fresh ? added.substr(lineBreak().size()) : added) + lineBreak();
    }

    static int stepOf(const Node& map) {
        for (const auto& e : map.entries) {
            if (!e.value.isMap() || e.value.flow || e.value.alias || e.value.entries.empty() || e.merged)
                continue;
            const int deeper = e.value.entries.front().key.at.column - e.key.at.column;
            return deeper > 0 ? deeper : 2;
        }
        return 2;
    }
    int step() const { return stepOf(m_root); }

    std::string removeFromFlow(const Step& step) {
        const Surroundings within = inside(*step.container, step.around);
        const Entry *before = nullptr, *after = nullptr;
        for (const auto& e : step.container->entries) {
            if (e.merged)
                continue;
            if (&e < step.entry)
                before = &e;
            else if (&e > step.entry && !after)
                after = &e;
        }
        const std::size_t end = entryEnd(m_text, *step.entry, within);
        if (after)
            return spliced({step.entry->key.offset, after->key.offset}, "");
        return spliced({before ? entryEnd(m_text, *before, within) : step.entry->key.offset, end}, "");
    }

    std::string removeFromBlock(const Step& step) {
        const Surroundings within = inside(*step.container, step.around);
        int own = 0;
        for (const auto& e : step.container->entries)
            own += e.merged ? 0 : 1;
        if (own == 1 && m_steps.size() > 1) { // an empty section is written {}
            const Step& parent = m_steps[m_steps.size() - 2];
            return replaceBlock(parent, "{}", nodeEnd(m_text, *parent.node, inside(*parent.container, parent.around)));
        }
        const std::size_t key = step.entry->key.offset, line = lineBegin(m_text, key);
        const std::size_t end = lineEnd(m_text, entryEnd(m_text, *step.entry, within));
        if (m_text.find_first_not_of(" \t", line) == key) {
            const std::size_t next = skipBreak(m_text, end);
            return spliced({line, next}, "");
        }
        for (const auto& e : step.container->entries) // "- a: 1": the next key moves up to the dash
            if (&e > step.entry && !e.merged)
                return spliced({key, e.key.offset}, "");
        refuse(Errc::Unsupported, "the only key of a list's section cannot be removed here; edit the text");
    }

    const std::string& m_text;
    const Node& m_root;
    const Path& m_path;
    std::vector<Step> m_steps;
};

} // namespace

Result<std::string> editSet(const std::string& text, const Node& root, const Path& path, const std::string& value) {
    try {
        return Editor(text, root, path).set(value);
    } catch (const Refusal& refusal) {
        return tl::unexpected(refusal.error);
    }
}

Result<std::string> editRemove(const std::string& text, const Node& root, const Path& path) {
    try {
        return Editor(text, root, path).remove();
    } catch (const Refusal& refusal) {
        return tl::unexpected(refusal.error);
    }
}

} // namespace rankscope::config
