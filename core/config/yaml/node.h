// SPDX-License-Identifier: Apache-2.0
// A YAML file as a tree of values that still knows where each stood. Built from yaml-cpp's events, which tell
// aliases, plain and quoted scalars apart.
#pragma once

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

/// Something that is wrong with a recipe, or worth knowing about it.
struct Problem {
    enum class Severity : std::uint8_t { Error, Warning, Info } severity = Severity::Error;
    std::string key; ///< dotted; empty: no single key is to blame
    Position at;
    std::string text;          ///< with the nearest known key where one is near
    bool blocksLaunch = false; ///< a warning that only editing can live with: Rankscope's trainer cannot do it yet
};

/// An error that no single key is to blame for.
inline Problem errorAt(Position at, std::string text) {
    return {Problem::Severity::Error, {}, at, std::move(text)};
}

/// A scalar or list of scalars as YAML text in one line ("null", "[-1, -1]", "???", "${model.sample_rate}").
using ValueText = std::string;

/// Where a value comes from.
enum class Origin : std::uint8_t { Yours, Override, NemoYaml, Code, Unset };
std::string_view originName(Origin origin); ///< "your file", "override", "NeMo YAML", "NeMo code", …

struct Entry;

struct Node {
    enum class Kind : std::uint8_t { Null, Scalar, List, Map };

    Kind kind = Kind::Null;
    std::string text;    ///< of a scalar, unescaped
    bool quoted = false; ///< a scalar that is a string whatever it looks like
    bool flow = false;   ///< a list or map in brackets
    bool alias = false;  ///< stands here as *name
    bool anchored = false, tagged = false;
    bool unresolved = false; ///< holds an interpolation that could not be resolved
    Origin origin = Origin::Yours;
    Position at;            ///< of the first byte, anchor and tag included; of the alias for an alias
    std::size_t offset = 0; ///< the same as a byte of the file
    std::vector<Node> items;
    std::vector<Entry> entries; ///< in file order; what "<<" brings in follows, marked merged

    static Node plain(std::string text);
    static Node string(std::string text);
    static Node map();

    bool isMap() const { return kind == Kind::Map; }
    bool isList() const { return kind == Kind::List; }
    bool isScalar() const { return kind == Kind::Scalar; }
    bool isNothing() const { return kind == Kind::Null && !alias; } ///< not even the word null is written

    /// The value of a map's key or of a list's index; null when there is none.
    const Node* child(std::string_view name) const;
    Node* child(std::string_view name);
    /// The same, of a map; a key that is not there is added, null.
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

/// The children of one map, for many look-ups: hashed when they are many. The map must not change meanwhile.
class ChildIndex {
public:
    explicit ChildIndex(const Node* map); ///< null, or no map: has no children
    const Node* find(std::string_view name) const;

private:
    const Node* m_map = nullptr;
    std::unordered_map<std::string_view, std::size_t> m_places; ///< empty: they are few
};

using Path = std::vector<std::string>;
/// "a.b[0].c" -> a, b, 0, c.
Path splitKey(std::string_view key);
std::string joinKey(const Path& path);
std::string joinKey(const std::string& section, const std::string& name);

const Node* find(const Node& root, const Path& path);
inline const Node* find(const Node& root, std::string_view key) {
    return find(root, splitKey(key));
}

/// Nodes of the tree, keys counted as well.
std::size_t countNodes(const Node& node);
/// Children of a list or map but those that "<<" brought in.
std::size_t ownCount(const Node& node);

/// Sections and leaves, dotted, in file order.
std::vector<std::string> allKeys(const Node& root);

constexpr std::size_t kMaxNodes = 200'000; ///< aliases are copied: bounds what a small hostile file can grow to
constexpr std::size_t kMaxKey = 250;       ///< bytes of a key: PyYAML takes 1024, escapes counted
constexpr std::size_t kMaxDepth = 100;     ///< trees are walked recursively

/// What "<<: *base" and "<<: [*a, *b]" bring in, after the section's own keys: those win, then earlier sections.
void expandMerge(Node& map);

} // namespace rankscope::config
