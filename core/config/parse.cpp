// SPDX-License-Identifier: Apache-2.0
// From libyaml's events to a tree with places. libyaml reads what PyYAML reads, and so what OmegaConf and NeMo read.
#include "core/config/bytes.h"
#include "core/config/node.h"
#include "core/config/scalar.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace rankscope::config {
namespace {

constexpr std::size_t kMaxKey = 250; ///< YAML takes 1024, escapes counted

struct Refused {
    Problem problem;
};

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

/// libyaml counts characters; we tell bytes, and lines and columns of bytes.
class Places {
public:
    explicit Places(std::string_view text, std::size_t shift) : m_shift(shift), m_lines{0} {
        const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (!ascii && (text[i] & 0xc0) != 0x80)
                m_bytes.push_back(i);
            if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')))
                m_lines.push_back(i + 1);
        }
        m_size = text.size();
    }

    std::size_t offset(std::size_t index) const { return within(index) + m_shift; }
    Position at(std::size_t index) const {
        const std::size_t byte = within(index);
        const auto line = std::upper_bound(m_lines.begin(), m_lines.end(), byte) - 1;
        return {static_cast<int>(line - m_lines.begin()) + 1, static_cast<int>(byte - *line) + 1};
    }

private:
    std::size_t within(std::size_t index) const {
        return m_bytes.empty() ? std::min(index, m_size) : index < m_bytes.size() ? m_bytes[index] : m_size;
    }
    std::size_t m_shift, m_size = 0;
    std::vector<std::size_t> m_lines; ///< where they begin
    std::vector<std::size_t> m_bytes; ///< of each character; empty: all are one byte
};

/// "<<" takes a section or a list of sections.
void checkMerge(const Node& map) {
    for (const auto& e : map.entries) {
        const Node& from = e.value;
        const auto notSection =
            std::find_if(from.items.begin(), from.items.end(), [](const Node& n) { return !n.isMap(); });
        if (e.mergeKey && ((!from.isMap() && !from.isList()) || notSection != from.items.end()))
            refuse(from.isList() ? notSection->at : from.at, "<< takes a section or a list of sections");
    }
}

std::string wordOf(const yaml_char_t* text) {
    return text ? reinterpret_cast<const char*>(text) : "";
}

/// Makes the tree of the events of one document.
class Builder {
public:
    explicit Builder(const Places& places) : m_places(places) {}

    Node take() { return std::move(m_root); }

    void on(const yaml_event_t& event) {
        switch (event.type) {
        case YAML_ALIAS_EVENT:
            return alias(event);
        case YAML_SCALAR_EVENT:
            return scalar(event);
        case YAML_SEQUENCE_START_EVENT:
            return open(Node::Kind::List, event, event.data.sequence_start.anchor, event.data.sequence_start.tag,
                        event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
        case YAML_MAPPING_START_EVENT:
            return open(Node::Kind::Map, event, event.data.mapping_start.anchor, event.data.mapping_start.tag,
                        event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
        case YAML_MAPPING_END_EVENT:
            checkMerge(m_open.back().node);
            expandMerge(m_open.back().node);
            return close();
        case YAML_SEQUENCE_END_EVENT:
            return close();
        default:
            return;
        }
    }

private:
    struct Anchor {
        Node node;
        std::size_t size = 0;
        bool open = true;
    };
    struct Frame {
        Node node;
        std::string anchor;
        std::optional<Node> key;
        std::unordered_map<std::string, int> lines; ///< of the keys so far
    };

    Node make(const yaml_event_t& event, const yaml_char_t* anchor) {
        Node node;
        node.at = m_places.at(event.start_mark.index);
        node.offset = m_places.offset(event.start_mark.index);
        node.anchored = anchor != nullptr;
        if (anchor && !m_anchors.emplace(wordOf(anchor), Anchor{}).second)
            refuse(node.at, fmt::format("the anchor &{} stands twice in this file", wordOf(anchor)));
        return node;
    }

    void alias(const yaml_event_t& event) {
        const std::string name = wordOf(event.data.alias.anchor);
        const Position at = m_places.at(event.start_mark.index);
        const auto it = m_anchors.find(name);
        if (it == m_anchors.end())
            refuse(at, fmt::format("there is no anchor &{} above for the alias *{}", name, name));
        if (it->second.open)
            refuse(at, "an alias inside of what it stands for");
        count(it->second.size, at); // before it is copied
        Node node = it->second.node;
        node.alias = true;
        node.at = at;
        node.offset = m_places.offset(event.start_mark.index);
        add(std::move(node), {});
    }

    void scalar(const yaml_event_t& event) {
        const auto& data = event.data.scalar;
        Node node = make(event, data.anchor);
        const std::string tag = wordOf(data.tag);
        const bool plain = data.style == YAML_PLAIN_SCALAR_STYLE;
        node.text.assign(reinterpret_cast<const char*>(data.value), data.length);
        node.tagged = tag.size() > 1;
        const bool nothing = plain && node.text.empty() && tag.empty();
        node.kind = nothing ? Node::Kind::Null : Node::Kind::Scalar;
        node.quoted = tag.empty() ? !plain : tag == "!" || tag == "tag:yaml.org,2002:str";
        if (node.tagged && !node.quoted)
            applyTag(node, tag);
        count(1, node.at);
        add(std::move(node), wordOf(data.anchor));
    }

    /// !!int "5" is 5. A tag that no safe loader of Python takes is an error there, and here.
    static void applyTag(Node& node, const std::string& tag) {
        static const std::map<std::string, Type, std::less<>> types{{"tag:yaml.org,2002:int", Type::Int},
                                                                    {"tag:yaml.org,2002:float", Type::Float},
                                                                    {"tag:yaml.org,2002:bool", Type::Bool},
                                                                    {"tag:yaml.org,2002:null", Type::Null}};
        const auto it = types.find(tag);
        if (it == types.end())
            refuse(node.at, fmt::format("the tag {} is not known; NeMo takes !!str, !!int, !!float, !!bool, !!null, "
                                        "!!map and !!seq",
                                        tag));
        if (it->second == Type::Float && typeOf(node) == Type::Int && asInt(node))
            node.text = std::to_string(*asInt(node)) + ".0";
        if (typeOf(node) != it->second)
            refuse(node.at, fmt::format("{} does not fit its tag: it is no {}", node.text, typeName(it->second)));
    }

    void open(Node::Kind kind, const yaml_event_t& event, const yaml_char_t* anchor, const yaml_char_t* tag,
              bool flow) {
        Frame frame;
        frame.node = make(event, anchor);
        frame.node.kind = kind;
        frame.node.flow = flow;
        frame.node.tagged = wordOf(tag).size() > 1;
        frame.anchor = wordOf(anchor);
        const char* own = kind == Node::Kind::Map ? "tag:yaml.org,2002:map" : "tag:yaml.org,2002:seq";
        if (frame.node.tagged && wordOf(tag) != own)
            refuse(frame.node.at, fmt::format("the tag {} is not known here", wordOf(tag)));
        count(1, frame.node.at);
        if (m_open.size() >= kMaxDepth)
            refuse(frame.node.at, fmt::format("more than {} sections and lists inside of each other", kMaxDepth));
        m_open.push_back(std::move(frame));
    }

    void close() {
        Frame frame = std::move(m_open.back());
        m_open.pop_back();
        add(std::move(frame.node), frame.anchor);
    }

    void count(std::size_t more, Position at) {
        m_nodes += more;
        if (m_nodes > kMaxNodes)
            refuse(at, fmt::format("more than {} values, aliases counted: this is no recipe", kMaxNodes));
    }

    void add(Node node, const std::string& anchor) {
        if (!anchor.empty())
            m_anchors[anchor] = Anchor{node, countNodes(node), false};
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
            if (node.text.size() > kMaxKey)
                refuse(node.at, fmt::format("a key of more than {} bytes: this is no recipe", kMaxKey));
            frame.key = std::move(node);
        } else {
            addEntry(frame, std::move(node));
        }
    }

    void addEntry(Frame& frame, Node value) {
        Entry entry{std::move(*frame.key), std::move(value)};
        frame.key.reset();
        entry.mergeKey = entry.key.text == "<<" && !entry.key.quoted;
        const auto [twin, fresh] = frame.lines.emplace(entry.key.text, entry.key.at.line);
        if (!fresh && !entry.mergeKey)
            refuse(entry.key.at, fmt::format("the key {} stands twice in this section, first in line {}",
                                             entry.key.text, twin->second));
        frame.node.entries.push_back(std::move(entry));
    }

    const Places& m_places;
    std::size_t m_nodes = 0;
    std::vector<Frame> m_open;
    std::map<std::string, Anchor> m_anchors;
    Node m_root;
};

/// libyaml's words for what people get wrong most often, in ours.
std::string explained(const yaml_parser_t& parser, std::string_view text, std::size_t byte) {
    const std::string problem = parser.problem ? parser.problem : "cannot be read";
    const char c = byte < text.size() ? text[byte] : '\0';
    if (problem == "found character that cannot start any token")
        return c == '\t' ? "a tab; YAML is indented with spaces only"
                         : fmt::format("a value cannot begin with {}; put it in quotes", c);
    if (problem == "mapping values are not allowed in this context")
        return "a colon that makes no key here; check the indentation, or put the text in quotes";
    if (problem == "did not find expected key")
        return "a key is expected here; check the indentation and the quotes";
    if (problem == "could not find expected ':'")
        return "a colon and a space are missing after a key";
    if (!parser.context)
        return problem;
    return fmt::format("{}, {}", problem, parser.context);
}

[[noreturn]] void refuseBroken(const yaml_parser_t& parser, std::string_view text, const Places& places) {
    const std::string context = parser.context ? parser.context : "";
    const std::string problem = parser.problem ? parser.problem : "";
    if (context == "while scanning a quoted scalar" && problem.find("end of stream") != std::string::npos)
        refuse(places.at(parser.context_mark.index), "broken YAML: the quote that begins here is never closed");
    const bool marked = parser.error == YAML_SCANNER_ERROR || parser.error == YAML_PARSER_ERROR;
    const std::size_t index = marked ? parser.problem_mark.index : 0;
    std::string what = "broken YAML: " + explained(parser, text, places.offset(index) - places.offset(0));
    if (context.starts_with("while parsing a flow") || context == "while scanning a simple key")
        what += fmt::format(" (it begins in line {})", places.at(parser.context_mark.index).line);
    refuse(places.at(index), what);
}

/// Owns libyaml's parser.
class Events {
public:
    Events(std::string_view text, const Places& places) : m_text(text), m_places(places) {
        if (!yaml_parser_initialize(&m_parser))
            throw std::bad_alloc();
        yaml_parser_set_input_string(&m_parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
        yaml_parser_set_encoding(&m_parser, YAML_UTF8_ENCODING);
    }
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;
    ~Events() { yaml_parser_delete(&m_parser); }

    /// Calls `take` for each until the stream ends.
    template <class F> void each(const F& take) {
        for (bool more = true; more;) {
            yaml_event_t event;
            if (!yaml_parser_parse(&m_parser, &event))
                refuseBroken(m_parser, m_text, m_places);
            const std::unique_ptr<yaml_event_t, void (*)(yaml_event_t*)> owner(&event, yaml_event_delete);
            more = event.type != YAML_STREAM_END_EVENT;
            take(event);
        }
    }

private:
    yaml_parser_t m_parser;
    std::string_view m_text;
    const Places& m_places;
};

Node parseOrThrow(const std::string& text) {
    if (auto wrong = wrongBytes(text))
        throw Refused{std::move(*wrong)};
    const std::size_t shift = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
    const std::string_view content = std::string_view(text).substr(shift);
    const Places places(content, shift);
    Builder builder(places);
    int documents = 0;
    Events(content, places).each([&](const yaml_event_t& event) {
        if (event.type == YAML_DOCUMENT_START_EVENT && ++documents > 1)
            refuse(places.at(event.start_mark.index), "a second YAML document; a recipe is one document");
        builder.on(event);
    });
    return builder.take();
}

} // namespace

tl::expected<Node, Problem> parseYaml(const std::string& text) {
    Problem problem;
    try {
        return parseOrThrow(text);
    } catch (const Refused& refused) {
        problem = refused.problem;
    } catch (const std::exception& e) {
        problem.text = std::string("broken YAML: ") + e.what();
    }
    return tl::unexpected(std::move(problem));
}

} // namespace rankscope::config
