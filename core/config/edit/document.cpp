// SPDX-License-Identifier: Apache-2.0
#include "core/config/edit/document.h"

#include "core/config/yaml/yaml_parser.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace rankscope::config {

Document::Document() : m_root(std::make_shared<const Node>()) {}

Document::Document(std::string text, std::string fileName, tl::expected<Node, Problem> parsed)
    : m_text(std::move(text)), m_fileName(std::move(fileName)) {
    if (parsed)
        m_root = std::make_shared<const Node>(std::move(*parsed));
    else
        m_parseError = std::move(parsed.error());
}

Document Document::fromText(std::string text, std::string fileName) {
    auto parsed = parseYaml(text);
    return {std::move(text), std::move(fileName), std::move(parsed)};
}

namespace {

/// The key whose lines contain the change: the entry that `path` (entry indices, section by section) leads to.
struct Slice {
    std::vector<std::size_t> path;
    std::size_t begin = 0, end = 0; ///< whole lines of the text before the change
};

bool beginsItsLine(const std::string& text, const Entry& entry) {
    const std::size_t line = lineBegin(text, entry.key.offset);
    return text.find_first_not_of(' ', line) == entry.key.offset;
}

/// Returns whether the tree has anchors, aliases or merges: a value written in one place then appears in another.
bool hasLinks(const Node& node) {
    return node.anchored || node.alias || std::any_of(node.items.begin(), node.items.end(), hasLinks) ||
           std::any_of(node.entries.begin(), node.entries.end(),
                       [](const Entry& e) { return e.mergeKey || hasLinks(e.key) || hasLinks(e.value); });
}

/// Returns whether the text has no tags, no keys after a question mark and no byte order mark (which counts as a
/// column). Recipes do not need these, and they may affect more than their own lines.
bool isPlain(const std::string& text) {
    if (text.starts_with("\xef\xbb\xbf"))
        return false;
    const auto isOneOf = [&](const char* these, std::size_t at) { return std::strchr(these, text[at]) != nullptr; };
    for (const char mark : {'!', '?'})
        for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
            const bool begins = at == 0 || isOneOf(" \t\r\n[{,", at - 1);
            if (begins && (mark == '!' || at + 1 == text.size() || isOneOf(" \t\r\n", at + 1)))
                return false;
        }
    return true;
}

std::optional<Slice> sliceAround(const Node& root, const std::string& text, const std::string& after,
                                 ByteRange changed) {
    if (hasLinks(root) || !isPlain(text) || !isPlain(after))
        return std::nullopt;
    Slice slice;
    const Node* map = &root;
    std::size_t stop = text.size(); // end of the section's lines
    bool last = true;               // the slice reaches the end of the file
    while (map->isMap() && !map->flow && !map->entries.empty()) {
        const std::size_t count = writtenEntries(*map);
        const auto next = std::find_if(map->entries.begin(), map->entries.begin() + static_cast<std::ptrdiff_t>(count),
                                       [&](const Entry& e) { return e.key.offset >= changed.begin; });
        // a change at a key's first byte may also move the start of its section, so it belongs to the key before
        const auto index = next - map->entries.begin();
        const bool isLast = static_cast<std::size_t>(index) == count;
        if (index == 0 || (!isLast && !beginsItsLine(text, *next)))
            break;
        const Entry& entry = map->entries[static_cast<std::size_t>(index) - 1];
        const std::size_t end = isLast ? stop : lineBegin(text, next->key.offset);
        last = last && isLast;
        // the line break before the next key must not change
        if (!beginsItsLine(text, entry) || (last ? changed.end > end : changed.end >= end))
            break;
        slice.path.push_back(static_cast<std::size_t>(index) - 1);
        slice.begin = lineBegin(text, entry.key.offset);
        slice.end = stop = end;
        map = &entry.value;
    }
    return slice.path.empty() ? std::nullopt : std::optional(slice);
}

/// Returns whether the text has no document markers (---, ...), no directives (%) and no byte order mark, which only
/// counts at the start of a file.
bool isPartOnly(const std::string& text) {
    if (text.find("\xef\xbb\xbf") != std::string::npos)
        return false;
    for (const char* mark : {"---", "...", "%"})
        for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1))
            if (at == 0 || text[at - 1] == '\n')
                return false;
    return true;
}

int lineBreaks(const std::string& text, std::size_t begin, std::size_t end) {
    const auto at = [&](std::size_t i) { return text.begin() + static_cast<std::ptrdiff_t>(i); };
    return static_cast<int>(std::count(at(begin), at(end), '\n'));
}

/// Moves the positions of all nodes at or after `from`.
struct Shift {
    std::size_t from = 0;
    std::ptrdiff_t bytes = 0;
    int lines = 0;

    void apply(Node& node) const {
        if (node.offset >= from) {
            node.offset = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(node.offset) + bytes);
            node.at.line += lines;
        }
        for (auto& item : node.items)
            apply(item);
        for (auto& e : node.entries) {
            apply(e.key);
            apply(e.value);
        }
    }
};

std::size_t depthOf(const Node& node) {
    std::size_t depth = 0;
    for (const auto& item : node.items)
        depth = std::max(depth, depthOf(item));
    for (const auto& e : node.entries)
        depth = std::max(depth, depthOf(e.value));
    return depth + 1;
}

/// Returns the tree with the slice parsed again in place of the entry it was; none if the result may differ from
/// parsing the whole text.
std::optional<Node> spliced(const Node& root, const std::string& before, const Slice& slice, const std::string& after) {
    const auto delta = static_cast<std::ptrdiff_t>(after.size()) - static_cast<std::ptrdiff_t>(before.size());
    const auto end = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(slice.end) + delta);
    const std::string text = after.substr(slice.begin, end - slice.begin);
    auto part = isPartOnly(text) ? parseYaml(text) : tl::unexpected(Problem{});
    if (!part || !part->isMap() || part->flow || hasLinks(*part) || depthOf(*part) + slice.path.size() > kMaxDepth ||
        countNodes(root) + countNodes(*part) > kMaxNodes)
        return std::nullopt;

    Node out = root;
    Node* map = &out;
    for (std::size_t i = 0; i + 1 < slice.path.size(); ++i)
        map = &map->entries[slice.path[i]].value;
    const auto old = map->entries.begin() + static_cast<std::ptrdiff_t>(slice.path.back());
    const int line = old->key.at.line;
    // if the first key has moved down, the text now before it may continue the value of the key before
    const Node& first = part->entries.front().key;
    if (first.at.column != old->key.at.column || slice.begin + first.offset != old->key.offset)
        return std::nullopt;
    for (const auto& e : part->entries) {
        const Entry* twin = map->entry(e.key.text);
        if (twin && twin != &*old)
            return std::nullopt;
    }
    const int lines = lineBreaks(after, slice.begin, end) - lineBreaks(before, slice.begin, slice.end);
    map->entries.erase(old);
    Shift{slice.end, delta, lines}.apply(out);
    Shift{0, static_cast<std::ptrdiff_t>(slice.begin), line - 1}.apply(*part);
    map->entries.insert(map->entries.begin() + static_cast<std::ptrdiff_t>(slice.path.back()),
                        std::make_move_iterator(part->entries.begin()), std::make_move_iterator(part->entries.end()));
    return out;
}

} // namespace

std::optional<Document> reparsedPart(const Document& before, std::string text, ByteRange changed, std::size_t most) {
    if (!before.root())
        return std::nullopt;
    const auto slice = sliceAround(*before.root(), before.text(), text, changed);
    if (!slice || slice->end - slice->begin > most || text.size() > before.text().size() + most)
        return std::nullopt;
    auto out = spliced(*before.root(), before.text(), *slice, text);
    if (!out)
        return std::nullopt;
    return Document(std::move(text), before.fileName(), std::move(*out));
}

Document reparsed(const Document& before, std::string text, ByteRange changed) {
    if (auto part = reparsedPart(before, text, changed, before.text().size() + text.size()))
        return std::move(*part);
    return Document::fromText(std::move(text), before.fileName());
}

} // namespace rankscope::config
