// SPDX-License-Identifier: Apache-2.0
// A YAML file as a tree of values that know their positions. Built from yaml-cpp's events, which distinguish aliases,
// plain scalars and quoted scalars.
#pragma once

#include "core/base/text/message.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rankscope::config {

/// A place in a YAML file.
struct Position {
    int line = 0, column = 0; ///< from 1, columns in bytes; 0: unknown
};

/// An error in a recipe, or something worth knowing about it.
struct Problem {
    enum class Severity : std::uint8_t { Error, Warning, Info } severity = Severity::Error;
    std::string key; ///< dotted; empty: no single key is the cause
    Position at;
    Message text;              ///< with the nearest known key if one is close
    bool blocksLaunch = false; ///< a warning: the file can be edited, but Rankscope's trainer does not support it yet
};

/// Returns an error that no single key causes.
inline Problem errorAt(Position at, Message text) {
    return {Problem::Severity::Error, {}, at, std::move(text)};
}

/// Returns "wrong; did you mean similar?"; `wrong` alone if there is nothing similar.
Message suggesting(Message wrong, const std::string& similar);

/// A scalar or list of scalars as YAML text in one line ("null", "[-1, -1]", "???", "${model.sample_rate}").
using ValueText = std::string;

/// Where a value comes from.
enum class Origin : std::uint8_t { Yours, Override, NemoYaml, Code, Unset };
Message originMessage(Origin origin);
inline std::string originName(Origin origin) { ///< "your file", "override", "NeMo YAML", "NeMo code", …
    return originMessage(origin).english();
}

struct Entry;

struct Node {
    enum class Kind : std::uint8_t { Null, Scalar, List, Map };

    Kind kind = Kind::Null;
    std::string text;    ///< of a scalar, unescaped
    bool quoted = false; ///< a scalar that is a string whatever it looks like
    bool flow = false;   ///< a list or map in brackets
    bool alias = false;  ///< written here as *name
    bool anchored = false, tagged = false;
    bool unresolved = false; ///< contains an interpolation that could not be resolved
    Origin origin = Origin::Yours;
    Position at;            ///< of the first byte, anchor and tag included; of the alias for an alias
    std::size_t offset = 0; ///< the same as a byte offset in the file
    std::vector<Node> items;
    std::vector<Entry> entries; ///< in file order; entries that "<<" brings in follow, marked merged

    static Node plain(std::string text);
    static Node string(std::string text);
    static Node map();

    bool isMap() const { return kind == Kind::Map; }
    bool isList() const { return kind == Kind::List; }
    bool isScalar() const { return kind == Kind::Scalar; }
    bool isNothing() const { return kind == Kind::Null && !alias; } ///< not even the word null is written

    /// Returns the value of a map's key or at a list's index; null if there is none.
    const Node* child(std::string_view name) const;
    Node* child(std::string_view name);
    /// Does the same for a map; a missing key is added with the value null.
    Node& childOrNew(const std::string& name);
    const Entry* entry(std::string_view name) const;
    bool erase(std::string_view name);
};

struct Entry {
    Node key;
    Node value;
    bool mergeKey = false; ///< "<<" itself: neither a key nor a value of the map
    bool merged = false;   ///< brought in by "<<"
};

/// The children of one map, for many look-ups: hashed if there are many. The map must not change in the meantime.
class ChildIndex {
public:
    explicit ChildIndex(const Node* map); ///< null, or not a map: there are no children
    const Node* find(std::string_view name) const;

private:
    const Node* m_map = nullptr;
    std::unordered_map<std::string_view, std::size_t> m_places; ///< empty if there are only a few
};

using Path = std::vector<std::string>;
/// Splits "a.b[0].c" into a, b, 0, c.
Path splitKey(std::string_view key);
std::string joinKey(const Path& path);
std::string joinKey(const std::string& section, const std::string& name);

const Node* find(const Node& root, const Path& path);
inline const Node* find(const Node& root, std::string_view key) {
    return find(root, splitKey(key));
}

/// Returns the number of nodes in the tree, including keys.
std::size_t countNodes(const Node& node);
/// Returns the number of children of a list or map, except those that "<<" brought in.
std::size_t writtenEntries(const Node& node);

/// Returns the dotted keys of sections and leaves, in file order.
std::vector<std::string> allKeys(const Node& root);

/// Limits how large the tree of a small hostile file can become: aliases are copied.
constexpr std::size_t kMaxNodes = 200'000;
constexpr std::size_t kMaxKey = 250;   ///< bytes of a key: PyYAML accepts 1024, counting escapes
constexpr std::size_t kMaxDepth = 100; ///< trees are walked recursively

/// Adds the keys that "<<: *base" and "<<: [*a, *b]" bring in after the section's own keys, which take precedence;
/// among the sections, earlier ones do.
void expandMerge(Node& map);

} // namespace rankscope::config
