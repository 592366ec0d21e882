// SPDX-License-Identifier: Apache-2.0
#include "core/config/edit/edit_path.h"

#include <fmt/format.h>

namespace rankscope::config {
namespace {

/// Returns the start of the line before the one that starts at `line`; `line` itself if it is the first.
std::size_t lineBefore(const std::string& text, std::size_t line) {
    if (line == 0 || lineBegin(text, line) != line || (line == 3 && lineBegin(text, 0) == 3))
        return line;
    std::size_t end = line - 1;
    if (text[end] == '\n' && end > 0 && text[end - 1] == '\r')
        --end;
    return lineBegin(text, end);
}

/// Returns the start of the topmost of the comment lines directly above that have the same indentation, but not beyond
/// `bound` and not at the top of the file.
std::size_t topOf(const std::string& text, std::size_t line, std::size_t column, std::size_t bound) {
    std::size_t top = line;
    for (;;) {
        const std::size_t above = lineBefore(text, top);
        if (above == top)
            return line; // a comment at the top belongs to the file
        const std::size_t mark = text.find_first_not_of(' ', above);
        if (above < bound || mark != above + column || text[mark] != '#')
            return top;
        top = above;
    }
}

/// Returns the positions of the dashes of a block list.
std::vector<std::size_t> dashes(const std::string& text, const Node& list, const FlowContext& within) {
    std::vector<std::size_t> out;
    std::size_t at = contentBegin(text, list);
    for (const auto& item : list.items) {
        at = skipBlank(text, at);
        if (at >= text.size() || text[at] != '-')
            throwRefused(Errc::Unsupported, "a list that is written in an unusual way; edit the text");
        out.push_back(at);
        at = item.isNothing() ? at + 1 : nodeEnd(text, item, within);
    }
    return out;
}

} // namespace

void throwRefused(Errc code, Message what) {
    throw EditRefused{Error{code, std::move(what), {}}};
}

ResolvedPath::ResolvedPath(const std::string& text, const Node& root, const Path& wanted)
    : path(wanted), m_text(text), m_root(root) {
    const Node* node = &root;
    FlowContext surroundings;
    for (const auto& name : path) {
        if (node->alias && (node->isMap() || node->isList()))
            throwRefused(Errc::Unsupported,
                         {"{} is an alias of another section; edit that section, or the text", joinKey(resolved())});
        const Node* child = node->child(name);
        const Entry* entry = node->isMap() ? node->entry(name) : nullptr;
        if (entry && entry->merged && child->isMap() && &name != &path.back())
            throwRefused(Errc::Unsupported, {"{} is merged in by <<; edit the section that it comes from, or the text",
                                             joinKey(joinKey(resolved()), name)});
        if (!child || (entry && entry->merged))
            return;
        const auto index = entry ? entry - node->entries.data() : child - node->items.data();
        steps.push_back({node, surroundings, entry, child, static_cast<std::size_t>(index)});
        surroundings = inside(*node, surroundings);
        node = child;
    }
}

std::size_t ResolvedPath::valueOffsetOf(std::size_t number) const {
    const PathStep& step = steps[number];
    if (step.entry) {
        const auto at = colonAfter(m_text, step.entry->key, step.within());
        if (at == kNowhere)
            throwRefused(Errc::Unsupported, {"{} is not written as key: value; edit the text", joinKey(resolved())});
        return at + 1;
    }
    if (step.flow())
        throwRefused(Errc::Unsupported, "a value in brackets has neither colon nor dash");
    return dashes(m_text, *step.container, step.within())[step.index] + 1;
}

std::vector<ChildSpan> ResolvedPath::childrenAfter(std::size_t count) const {
    const Node& container = count == 0 ? m_root : *steps[count - 1].node;
    const FlowContext around = count == 0 ? FlowContext{} : steps[count - 1].within();
    const FlowContext within = inside(container, around);
    std::vector<ChildSpan> out;
    for (const auto& e : container.entries)
        if (!e.merged)
            out.push_back({e.key.offset, entryEnd(m_text, e, within)});
    const auto marks =
        container.isList() && !within.flow ? dashes(m_text, container, within) : std::vector<std::size_t>{};
    for (std::size_t i = 0; i < container.items.size(); ++i) {
        const Node& item = container.items[i];
        const std::size_t begin = within.flow ? item.offset : marks[i];
        out.push_back({begin, !item.isNothing() ? nodeEnd(m_text, item, within) : begin + (within.flow ? 0 : 1)});
    }
    std::size_t bound = count == 0 ? 0 : container.offset;
    if (count > 0 && !steps[count - 1].flow())
        bound = valueOffsetOf(count - 1);
    for (auto& child : out) {
        const std::size_t line = lineBegin(m_text, child.begin);
        child.ownLine = m_text.find_first_not_of(' ', line) == child.begin;
        child.top = child.ownLine ? topOf(m_text, line, child.begin - line, bound) : child.begin;
        bound = child.end;
    }
    return out;
}

} // namespace rankscope::config
