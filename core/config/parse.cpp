// SPDX-License-Identifier: Apache-2.0
#include "core/config/bytes.h"
#include "core/config/node.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

namespace rankscope::config {
namespace {

constexpr std::size_t kMaxNodes = 200'000; ///< aliases are copied: bounds what a small hostile file can grow to

struct Refused {
    Problem problem;
};

Position positionOf(const YAML::Mark& mark) {
    return mark.is_null() ? Position{} : Position{mark.line + 1, mark.column + 1};
}

[[noreturn]] void refuse(Position at, std::string text) {
    throw Refused{Problem{Problem::Severity::Error, {}, at, std::move(text)}};
}

std::size_t countNodes(const Node& node) {
    std::size_t n = 1;
    for (const auto& item : node.items)
        n += countNodes(item);
    for (const auto& e : node.entries)
        n += 1 + countNodes(e.value);
    return n;
}

void addMerged(Node& map, const Node& from, Position at) {
    if (!from.isMap())
        refuse(at, "<< takes a section or a list of sections");
    for (const auto& e : from.entries) {
        if (e.mergeKey || map.entry(e.key.text))
            continue;
        Entry copy = e;
        copy.merged = true;
        map.entries.push_back(std::move(copy));
    }
}

/// "<<: *base" and "<<: [*a, *b]": explicit keys win, then earlier sections.
void expandMerge(Node& map) {
    for (std::size_t i = 0, own = map.entries.size(); i < own; ++i) {
        if (!map.entries[i].mergeKey)
            continue;
        const Node from = map.entries[i].value;
        if (!from.isList())
            addMerged(map, from, from.at);
        for (const auto& item : from.items)
            addMerged(map, item, item.at);
    }
}

class Builder final : public YAML::EventHandler {
public:
    Builder(const std::string& text, std::size_t shift) : m_text(text), m_shift(shift) {}

    Node take() { return std::move(m_root); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        Node node = make(mark, anchor);
        if (const auto word = writtenNull(contentBegin(m_text, node)); !word.empty()) {
            node.kind = Node::Kind::Scalar;
            node.text = word;
        }
        add(std::move(node), anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto it = m_anchors.find(anchor);
        if (it == m_anchors.end())
            refuse(positionOf(mark), "an alias inside of what it stands for");
        Node node = it->second;
        m_nodes += countNodes(node);
        node.alias = true;
        node.at = positionOf(mark);
        node.offset = static_cast<std::size_t>(mark.pos) + m_shift;
        add(std::move(node), 0);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        Node node = make(mark, anchor);
        node.kind = Node::Kind::Scalar;
        node.text = value;
        node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
        node.tagged = tag.size() > 1;
        if (node.quoted && !isClosed(m_text, node))
            refuse(node.at, "broken YAML: the quote that begins here is never closed");
        add(std::move(node), anchor);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override {
        open(Node::Kind::List, mark, tag, anchor, style);
    }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override {
        open(Node::Kind::Map, mark, tag, anchor, style);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override {
        expandMerge(m_open.back().node);
        close();
    }

private:
    struct Frame {
        Node node;
        YAML::anchor_t anchor = 0;
        std::optional<Node> key;
    };

    Node make(const YAML::Mark& mark, YAML::anchor_t anchor) const {
        Node node;
        node.at = positionOf(mark);
        node.offset = static_cast<std::size_t>(mark.pos) + m_shift;
        node.anchored = anchor != 0;
        return node;
    }

    /// "null" or "~" where yaml-cpp tells of nothing; empty when really nothing is written: its mark is then that of
    /// what follows, which may be a key of that name.
    std::string writtenNull(std::size_t begin) const {
        const std::size_t end = std::min(m_text.find_first_of(" \t\r\n,[]{}:", begin), m_text.size());
        const std::string word = m_text.substr(begin, end - begin);
        if (word != "null" && word != "Null" && word != "NULL" && word != "~")
            return {};
        const bool wantsKey = !m_open.empty() && m_open.back().node.isMap() && !m_open.back().key;
        const std::size_t next = m_text.find_first_not_of(" \t", end);
        return next != std::string::npos && m_text[next] == ':' && !wantsKey ? "" : word;
    }

    void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
              YAML::EmitterStyle::value style) {
        Frame frame{make(mark, anchor), anchor, {}};
        frame.node.kind = kind;
        frame.node.flow = style == YAML::EmitterStyle::Flow;
        frame.node.tagged = tag.size() > 1;
        m_open.push_back(std::move(frame));
    }

    void close() {
        Frame frame = std::move(m_open.back());
        m_open.pop_back();
        add(std::move(frame.node), frame.anchor);
    }

    void add(Node node, YAML::anchor_t anchor) {
        if (++m_nodes > kMaxNodes)
            refuse(node.at, fmt::format("more than {} values, aliases counted: this is no recipe", kMaxNodes));
        if (anchor)
            m_anchors[anchor] = node;
        if (m_open.empty()) {
            m_root = std::move(node);
            return;
        }
        Frame& frame = m_open.back();
        if (frame.node.isList()) {
            frame.node.items.push_back(std::move(node));
        } else if (!frame.key) {
            if (!node.isScalar())
                refuse(node.at, "a key must be a word, not a list, section or nothing");
            frame.key = std::move(node);
        } else {
            addEntry(frame, std::move(node));
        }
    }

    void addEntry(Frame& frame, Node value) {
        Entry entry{std::move(*frame.key), std::move(value)};
        frame.key.reset();
        entry.mergeKey = entry.key.text == "<<" && !entry.key.quoted;
        if (const Entry* twin = entry.mergeKey ? nullptr : frame.node.entry(entry.key.text))
            refuse(entry.key.at, fmt::format("the key {} stands twice in this section, first in line {}",
                                             entry.key.text, twin->key.at.line));
        frame.node.entries.push_back(std::move(entry));
    }

    const std::string& m_text;
    std::size_t m_shift;
    std::size_t m_nodes = 0;
    std::vector<Frame> m_open;
    std::map<YAML::anchor_t, Node> m_anchors;
    Node m_root;
};

/// Bytes of a UTF-8 sequence that starts at `i`; 0: not UTF-8.
std::size_t sequenceLength(const std::string& text, std::size_t i) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char c = byte(i);
    const std::size_t n = c < 0x80                ? 1
                          : c >= 0xc2 && c < 0xe0 ? 2
                          : c >= 0xe0 && c < 0xf0 ? 3
                          : c >= 0xf0 && c < 0xf5 ? 4
                                                  : 0;
    if (n == 0 || i + n > text.size())
        return 0;
    for (std::size_t k = 1; k < n; ++k)
        if ((byte(i + k) & 0xc0) != 0x80)
            return 0;
    return n;
}

/// yaml-cpp would stop silently at a control-D and guess other encodings: what is no text is refused here, with its
/// place.
void checkBytes(const std::string& text) {
    Position at{1, 1};
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        const std::size_t n = sequenceLength(text, i);
        if (n == 0)
            refuse(at, "not UTF-8 text");
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            refuse(at, fmt::format("a control character (0x{:02x}) that YAML does not allow", c));
        at.column += static_cast<int>(n);
        if (c == '\n')
            at = Position{at.line + 1, 1};
        i += n;
    }
}

Node parseOrThrow(const std::string& text) {
    checkBytes(text);
    const bool bom = text.starts_with("\xef\xbb\xbf");
    std::istringstream in(bom ? text.substr(3) : text);
    YAML::Parser parser(in);
    Builder builder(text, bom ? 3 : 0);
    parser.HandleNextDocument(builder);
    Node root = builder.take();
    Builder second(text, bom ? 3 : 0);
    if (parser.HandleNextDocument(second))
        refuse(second.take().at, "a second YAML document; a recipe is one document");
    return root;
}

} // namespace

tl::expected<Node, Problem> parseYaml(const std::string& text) {
    Problem problem;
    try {
        return parseOrThrow(text);
    } catch (const Refused& refused) {
        problem = refused.problem;
    } catch (const YAML::Exception& e) {
        problem.at = positionOf(e.mark);
        problem.text = "broken YAML: " + e.msg;
    } catch (const std::exception& e) {
        problem.text = std::string("broken YAML: ") + e.what();
    }
    return tl::unexpected(std::move(problem));
}

} // namespace rankscope::config
