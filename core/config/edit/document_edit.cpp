// SPDX-License-Identifier: Apache-2.0
#include "core/config/edit/document_edit.h"

#include "core/base/values/result.h"
#include "core/config/edit/document.h"
#include "core/config/edit/text_patch.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::config {
namespace {

/// Returns whether two trees are the same down to the digits; stricter than sameValue(): 5 and 5.0 differ, and so do
/// keys in another order.
bool sameTree(const Node& a, const Node& b) {
    if (a.isScalar() && b.isScalar() && a.quoted == b.quoted && a.text == b.text)
        return true;
    if (typeOf(a) != typeOf(b))
        return false;
    if (a.isScalar() && b.isScalar() && typeOf(a) != Type::Null)
        return a.text == b.text;
    if (a.isList())
        return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), sameTree);
    return std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                      [](const Entry& x, const Entry& y) {
                          return x.key.text == y.key.text && x.mergeKey == y.mergeKey && sameTree(x.value, y.value);
                      });
}

/// Returns whether `after` is the same tree as `before` with `value` at `path`.
bool sameBut(const Node& after, const Node& before, const Path& path, std::size_t depth, const Node& value) {
    if (depth == path.size())
        return sameTree(after, value);
    if (after.kind != before.kind || after.items.size() != before.items.size() ||
        after.entries.size() != before.entries.size())
        return false;
    for (std::size_t i = 0; i < before.items.size(); ++i)
        if (const bool here = path[depth] == std::to_string(i);
            here ? !sameBut(after.items[i], before.items[i], path, depth + 1, value)
                 : !sameTree(after.items[i], before.items[i]))
            return false;
    for (std::size_t i = 0; i < before.entries.size(); ++i) {
        const Entry &x = after.entries[i], &y = before.entries[i];
        const bool here = !y.mergeKey && y.key.text == path[depth];
        if (x.key.text != y.key.text || x.mergeKey != y.mergeKey ||
            (here ? !sameBut(x.value, y.value, path, depth + 1, value) : !sameTree(x.value, y.value)))
            return false;
    }
    return true;
}

Node* at(Node& root, const Path& path) {
    return const_cast<Node*>(find(static_cast<const Node&>(root), path));
}

/// Adds a value to the tree as the edit should; parents that are absent or null become sections. Returns the new
/// child's index.
std::size_t put(Node& root, const EditTarget& place, Node value) {
    Node* node = &root;
    for (const auto& name : place.parent) {
        if (!node->isMap() && !node->isList())
            *node = Node::map();
        node = node->isMap() ? &node->childOrNew(name) : node->child(name);
    }
    if (!node->isMap() && !node->isList())
        *node = Node::map();
    std::erase_if(node->entries, [](const Entry& e) { return e.merged; });
    const std::size_t index = std::min(place.index, writtenEntries(*node));
    const auto offset = static_cast<std::ptrdiff_t>(index);
    if (node->isList())
        node->items.insert(node->items.begin() + offset, std::move(value));
    else
        node->entries.insert(node->entries.begin() + offset, Entry{Node::plain(place.name), std::move(value)});
    expandMerge(*node); // the new key may hide a merged one, which then no longer appears
    return index;
}

Node take(Node& root, const Path& path) {
    Node* parent = at(root, Path(path.begin(), path.end() - 1));
    Node taken = *parent->child(path.back());
    if (parent->isMap()) {
        parent->erase(path.back());
        expandMerge(*parent); // a merged key that the removed one hid appears again
    } else {
        parent->items.erase(parent->items.begin() + std::stol(path.back()));
    }
    return taken;
}

/// Returns where `path` leads once the list value `gone` has been removed.
Path afterRemoval(Path path, const Node& root, const Path& gone) {
    const std::size_t depth = gone.size() - 1;
    const Node* list = find(root, Path(gone.begin(), gone.end() - 1));
    const bool through = path.size() > depth && std::equal(gone.begin(), gone.end() - 1, path.begin());
    if (list && list->isList() && through && std::stol(path[depth]) > std::stol(gone.back()))
        path[depth] = std::to_string(std::stol(path[depth]) - 1);
    return path;
}

/// Parses `value`, which must be a single YAML value in one line.
Node readValue(const std::string& value) {
    if (value.find_first_not_of(" \t") == std::string::npos)
        throwRefused(Errc::BadInput, "an empty value; write null, or \"\" for an empty text");
    if (value.find_first_of("\r\n") != std::string::npos)
        throwRefused(Errc::BadInput, "a value must be written on one line");
    const std::string text = "k: " + value;
    auto parsed = parseYaml(text);
    if (!parsed)
        throwRefused(Errc::BadInput, {"{} is not a YAML value: {}", value, parsed.error().text});
    if (!parsed->isMap() || parsed->entries.size() != 1 || parsed->entries[0].mergeKey)
        throwRefused(Errc::BadInput, {"{} is not a single YAML value", value});
    Node node = std::move(parsed->entries[0].value);
    const bool whole = node.kind != Node::Kind::Null && node.offset == text.find_first_not_of(" \t", 2) &&
                       text.find_first_not_of(" \t", nodeEnd(text, node, {false, 0})) == std::string::npos;
    if (!whole || node.anchored || node.alias || text[contentBegin(text, node)] == '|' ||
        text[contentBegin(text, node)] == '>')
        throwRefused(Errc::BadInput, {"{} is more than a plain YAML value (a comment, anchor or block)", value});
    return node;
}

std::string trimmedValue(const std::string& value) {
    const auto first = value.find_first_not_of(" \t");
    return value.substr(first, value.find_last_not_of(" \t") - first + 1);
}

/// One edit of a document: either refused or proved correct.
class Editing {
public:
    explicit Editing(const Document& document) : m_document(document), m_text(document.text()) {}

    Edit change(const Path& path, const ValueText& value) {
        const ResolvedPath way = wholeWay(path);
        const Node node = readValueFor(path, value);
        return proved(changePatches(m_text, way, trimmedValue(value)), path,
                      [&](const Node& after) { return sameBut(after, *m_document.root(), path, 0, node); });
    }

    Edit add(const EditTarget& place, const ValueText& value) {
        checkUsable();
        const ResolvedPath way(m_text, *m_document.root(), place.parent);
        checkFree(way, place.name);
        const Path path = joined(place.parent, place.name);
        const Node node = readValueFor(path, value);
        const TextPatches patches = addPatches(m_text, *m_document.root(), way, place, trimmedValue(value));
        Node expected = *m_document.root();
        const std::size_t index = put(expected, place, node);
        return proved(patches, expected, pathOf(expected, place, index));
    }

    Edit remove(const Path& path) {
        const ResolvedPath way = wholeWay(path);
        Node expected = *m_document.root();
        take(expected, path);
        return proved(removePatches(m_text, way), expected, path);
    }

    Edit move(const Path& from, EditTarget to) {
        const ResolvedPath way = wholeWay(from);
        const ResolvedPath toParent(m_text, *m_document.root(), to.parent);
        if (to.parent.size() >= from.size() && std::equal(from.begin(), from.end(), to.parent.begin()))
            throwRefused(Errc::BadInput, {"{} cannot be moved into itself", joinKey(from)});
        if (!toParent.isComplete())
            throwRefused(Errc::NotFound, {"there is no section or list {}", joinKey(to.parent)});
        if (to.name.empty() && way.steps.back().entry)
            to.name = from.back();
        const bool same = way.steps.back().container == &toParent.end();
        if (!same || (way.steps.back().entry && to.name != from.back()))
            checkFree(toParent, to.name);
        TextPatches patches = movePatches(m_text, *m_document.root(), way, toParent, to);
        Node expected = *m_document.root();
        Node value = take(expected, from);
        to.parent = afterRemoval(to.parent, *m_document.root(), from);
        const std::size_t index = put(expected, to, std::move(value));
        return proved(std::move(patches), expected, pathOf(expected, to, index));
    }

private:
    static Path joined(Path path, const std::string& name) {
        path.push_back(name);
        return path;
    }

    static Path pathOf(const Node& root, const EditTarget& place, std::size_t index) {
        const Node* parent = find(root, place.parent);
        return joined(place.parent, parent && parent->isList() ? std::to_string(index) : place.name);
    }

    void checkUsable() const {
        if (const auto& broken = m_document.parseError())
            throw EditRefused{
                Error{Errc::BadInput,
                      {"fix the text first: {}", broken->text},
                      fmt::format("{}:{}:{}", m_document.fileName(), broken->at.line, broken->at.column)}};
    }

    ResolvedPath wholeWay(const Path& path) const {
        checkUsable();
        if (path.empty())
            throwRefused(Errc::BadInput, "\"\" is not a key");
        ResolvedPath way(m_text, *m_document.root(), path);
        if (!way.isComplete())
            throwRefused(Errc::NotFound, {"there is no key {}", joinKey(path)});
        return way;
    }

    /// Refuses if the key already exists.
    static void checkFree(const ResolvedPath& parent, const std::string& name) {
        const Node& node = parent.end();
        if (node.isList() && parent.isComplete())
            return;
        if (name.empty())
            throwRefused(Errc::BadInput, "\"\" is not a key");
        const Entry* twin = parent.isComplete() ? node.entry(name) : nullptr;
        if (twin && !twin->merged)
            throwRefused(Errc::BadInput, {"{} already exists", joinKey(joinKey(parent.path), name)});
    }

    static Node readValueFor(const Path& path, const ValueText& value) {
        try {
            return readValue(value);
        } catch (const EditRefused& refusal) {
            throwRefused(refusal.error.code, {"{}: {}", joinKey(path), refusal.error.what});
        }
    }

    Edit proved(TextPatches patches, const Node& expected, Path path) const {
        return proved(std::move(patches), std::move(path), [&](const Node& after) {
            const bool emptied = after.kind == Node::Kind::Null && expected.entries.empty() && expected.items.empty() &&
                                 !expected.isScalar();
            return emptied || sameTree(after, expected);
        });
    }

    template <class F> Edit proved(TextPatches patches, Path path, const F& isExpected) const {
        std::sort(patches.begin(), patches.end(), [](const TextPatch& a, const TextPatch& b) {
            return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
        });
        Edit edit;
        edit.begin = patches.empty() ? 0 : patches.front().begin;
        edit.end = edit.begin;
        bool apart = true;
        for (const auto& splice : patches) {
            apart = apart && splice.begin >= edit.end;
            edit.added += apart ? m_text.substr(edit.end, splice.begin - edit.end) + splice.by : "";
            edit.end = std::max(edit.end, splice.end);
        }
        edit.removed = m_text.substr(edit.begin, edit.end - edit.begin);
        std::string text = m_text;
        text.replace(edit.begin, edit.end - edit.begin, edit.added);
        auto after = apart ? reparsed(m_document, std::move(text), {edit.begin, edit.end}) : Document();
        if (!apart || !after.root() || !isExpected(*after.root()))
            throwRefused(Errc::Unsupported,
                         {"{} cannot be changed without changing other values of the file (an anchor that others "
                          "refer to, or unusual YAML); edit the text",
                          joinKey(path)});
        edit.path = std::move(path);
        edit.after = std::move(after);
        return edit;
    }

    const Document& m_document;
    const std::string& m_text;
};

template <class F> Result<Edit> guarded(const Document& document, const F& edit) {
    try {
        return edit(Editing(document));
    } catch (const EditRefused& refusal) {
        Error error = refusal.error;
        if (error.where.empty())
            error.where = document.fileName();
        return tl::unexpected(std::move(error));
    }
}

} // namespace

Result<Edit> changeValue(const Document& document, const Path& path, const ValueText& value) {
    return guarded(document, [&](Editing editing) { return editing.change(path, value); });
}

Result<Edit> addValue(const Document& document, const EditTarget& place, const ValueText& value) {
    return guarded(document, [&](Editing editing) { return editing.add(place, value); });
}

Result<Edit> removeValue(const Document& document, const Path& path) {
    return guarded(document, [&](Editing editing) { return editing.remove(path); });
}

Result<Edit> moveValue(const Document& document, const Path& from, const EditTarget& to) {
    return guarded(document, [&](Editing editing) { return editing.move(from, to); });
}

Result<void> setValue(Document& document, const std::string& key, const ValueText& value) {
    const Path path = splitKey(key);
    auto edit = changeValue(document, path, value);
    if (!edit && edit.error().code == Errc::NotFound) {
        const Path parent(path.begin(), path.end() - 1);
        if (const Node* list = find(*document.root(), parent); list && list->isList())
            return fail(Errc::NotFound, {"the list {} has no value {}", joinKey(parent), path.back()},
                        document.fileName());
        edit = addValue(document, {parent, path.back(), kAtEnd}, value);
    }
    RS_TRY_ASSIGN(auto done, std::move(edit));
    document = std::move(done.after);
    return {};
}

Result<void> removeKey(Document& document, const std::string& key) {
    RS_TRY_ASSIGN(auto edit, removeValue(document, splitKey(key)));
    document = std::move(edit.after);
    return {};
}

} // namespace rankscope::config
