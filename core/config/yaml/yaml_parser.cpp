// SPDX-License-Identifier: Apache-2.0
#include "core/config/yaml/yaml_parser.h"

// Builds a tree with positions from yaml-cpp's events. Text that yaml-cpp accepts but PyYAML, with which NeMo reads,
// does not is refused here.

#include "core/config/yaml/node_extent.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_cpp_message.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace rankscope::config {
namespace {

/// The error that yaml-cpp reports for a broken file.
struct YamlFailure {
    std::string words;
    std::size_t byte = 0;              ///< where it stopped
    std::optional<std::size_t> inside; ///< where the innermost open bracket begins
};

/// The same error in words that say what to fix, at the byte to fix.
struct BrokenYaml {
    std::size_t byte = 0;
    Message text; ///< without the line in which a bracket begins
};

/// Returns the position of a tab among the spaces at the start of a line; kNowhere if there is none.
std::size_t tabInIndent(const std::string& text, std::size_t at) {
    const std::size_t begin = lineBegin(text, std::min(at, text.size()));
    const std::size_t first = text.find_first_not_of(" \t", begin);
    const std::size_t tab = text.find('\t', begin);
    return tab < std::min(first, text.size()) ? tab : kNowhere;
}

std::size_t indentOf(const std::string& text, std::size_t line) {
    return text.find_first_not_of(' ', line) - line;
}

/// Returns the nearest line above that is not empty; kNowhere if there is none.
std::size_t lineAbove(const std::string& text, std::size_t line) {
    while (line > 0) {
        line = lineBegin(text, line - 1);
        const std::size_t first = text.find_first_not_of(" \t", line);
        if (first < lineEnd(text, line) && text[first] != '#')
            return line;
        if (line <= 3) // a byte order mark precedes the first line
            break;
    }
    return kNowhere;
}

bool hasColon(std::string_view line) {
    return line.find(": ") != std::string_view::npos || line.ends_with(':');
}

/// Finds a word alone in a line with the indentation of the keys below it: its colon is missing. yaml-cpp stops at the
/// colon of the next key.
std::size_t wordWithoutColon(const std::string& text, std::size_t at) {
    const std::size_t line = lineBegin(text, at);
    const std::size_t above = lineAbove(text, line);
    if (above == kNowhere || indentOf(text, above) != indentOf(text, line))
        return kNowhere;
    const std::string_view words(text.data() + above, lineEnd(text, above) - above);
    return hasColon(words) ? kNowhere : text.find_first_not_of(' ', above);
}

Message unknownAlias(const std::string& text, std::size_t at) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n,[]{}", at), text.size());
    const std::string name = text.substr(std::min(at + 1, end), end - std::min(at + 1, end));
    return {"there is no anchor &{0} above for the alias *{0}", name};
}

BrokenYaml explained(const std::string& text, const YamlFailure& failure) {
    const std::size_t at = failure.byte;
    const auto says = [&](std::string_view words) { return failure.words.starts_with(words); };
    if (const std::size_t tab = tabInIndent(text, at); tab != kNowhere || says("illegal tab"))
        return {tab != kNowhere ? tab : at, "a tab; YAML is indented with spaces only"};
    if (says("the referenced anchor"))
        return {at, unknownAlias(text, at)};
    if (failure.inside)
        return {at, {"a comma or {} is missing here", text[*failure.inside] == '[' ? "]" : "}"}};
    if (says("illegal map value")) {
        const std::size_t word = wordWithoutColon(text, at);
        if (word != kNowhere)
            return {word, "a colon and a space are missing after a key"};
        return {at, "a colon that does not make a key here; check the indentation, or put the text in quotes"};
    }
    if (says("end of map not found") || says("end of sequence not found"))
        return {at, "a key is expected here; check the indentation and the quotes"};
    if (says("unknown token") && at < text.size())
        return {at, {"a value cannot begin with {}; put it in quotes", text.substr(at, 1)}};
    return {at, yamlCppMessage(failure.words)};
}

struct ParseRefused {
    Problem problem;
};

[[noreturn]] void refuse(Position at, Message text) {
    throw ParseRefused{errorAt(at, std::move(text))};
}

/// Converts byte positions of a text to lines and columns, in bytes.
class Places {
public:
    explicit Places(std::string_view text) : m_size(text.size()) {
        for (std::size_t i = 0; i < text.size(); ++i)
            if (text[i] == '\n')
                m_lines.push_back(i + 1);
    }

    Position at(std::size_t byte) const {
        byte = std::min(byte, m_size);
        const auto line = std::upper_bound(m_lines.begin(), m_lines.end(), byte) - 1;
        return {static_cast<int>(line - m_lines.begin()) + 1, static_cast<int>(byte - *line) + 1};
    }

private:
    std::size_t m_size;
    std::vector<std::size_t> m_lines{0}; ///< where the lines begin
};

/// Checks that "<<" has a section or a list of sections.
void checkMerge(const Node& map) {
    for (const auto& e : map.entries) {
        const Node& from = e.value;
        const auto notSection = std::ranges::find_if(from.items, [](const Node& n) { return !n.isMap(); });
        if (e.mergeKey && ((!from.isMap() && !from.isList()) || notSection != from.items.end()))
            refuse(from.isList() ? notSection->at : from.at, "<< takes a section or a list of sections");
    }
}

/// Returns whether YAML 1.1 reads the word as null.
bool isNullWord(std::string_view word) {
    return word == "~" || word == "null" || word == "Null" || word == "NULL";
}

/// Returns whether PyYAML accepts the character in an anchor's name.
bool isOfName(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

/// Builds the tree from the events of one document.
class Builder final : public YAML::EventHandler {
public:
    Builder(const std::string& text, std::size_t shift, const Places& places)
        : m_text(text), m_places(places), m_shift(shift) {}

    Node take() { return std::move(m_root); }

    /// Corrects for a byte order mark, which yaml-cpp does not count.
    std::size_t byteOf(const YAML::Mark& mark) const {
        return std::min(static_cast<std::size_t>(std::max(mark.pos, 0)) + m_shift, m_text.size());
    }

    /// Returns where the innermost open bracket begins; none if none is open.
    std::optional<std::size_t> openBracket() const {
        if (m_open.empty() || !m_open.back().node.flow)
            return std::nullopt;
        const std::size_t begin = contentBegin(m_text, m_open.back().node);
        const bool written = begin < m_text.size() && (m_text[begin] == '[' || m_text[begin] == '{');
        return written ? std::optional(begin) : std::nullopt;
    }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (!std::exchange(m_begun, true))
            return;
        const std::size_t byte = byteOf(mark);
        refuse(m_places.at(byte), m_text.compare(byte, 3, "---") == 0
                                      ? Message("a second YAML document; a recipe is a single document")
                                      : Message("invalid YAML: this belongs to nothing above it; check the "
                                                "indentation"));
    }
    void OnDocumentEnd() override {}
    void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
        if (!std::ranges::all_of(name, isOfName))
            refuse(m_places.at(byteOf(mark)), {"the anchor &{}: a name has letters, digits, - and _", name});
        if (!m_names.insert(name).second)
            refuse(m_places.at(byteOf(mark)), {"the anchor &{} appears twice in this file", name});
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const std::size_t byte = byteOf(mark);
        const auto it = m_anchors.find(anchor);
        if (it == m_anchors.end())
            refuse(m_places.at(byte), "an alias inside its own anchor");
        count(it->second.size, m_places.at(byte)); // before it is copied
        Node node = it->second.node;
        node.alias = true;
        place(node, byte);
        add(std::move(node), 0);
    }
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        Node node = make(mark, anchor);
        if (auto word = isKeyItself(node) ? std::string() : writtenNull(contentBegin(m_text, node)); !word.empty()) {
            node.kind = Node::Kind::Scalar;
            node.text = std::move(word);
        } else if (!m_open.empty() && m_open.back().node.isList() && m_open.back().node.flow) {
            refuse(node.at, "invalid YAML: a value is missing in the list");
        } else if (!node.anchored) {
            place(node, nothingAt(node.offset)); // the mark is that of the next token
        }
        count(1, node.at);
        add(std::move(node), anchor);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        Node node = make(mark, anchor);
        node.kind = Node::Kind::Scalar;
        node.text = value;
        node.tagged = tag.size() > 1;
        node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
        if (!isClosed(m_text, node))
            refuse(m_places.at(contentBegin(m_text, node)), "invalid YAML: the quote that begins here is never closed");
        if (!node.tagged && !node.quoted && value == "=")
            refuse(node.at, "= alone means something else in YAML; put it in quotes");
        if (node.tagged && !node.quoted)
            applyTag(node, tag);
        count(1, node.at);
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
        checkMerge(m_open.back().node);
        expandMerge(m_open.back().node);
        close();
    }

private:
    struct Anchor {
        Node node;
        std::size_t size = 0;
    };
    struct OpenNode {
        Node node;
        YAML::anchor_t anchor = 0;
        std::optional<Node> key;
        std::unordered_map<std::string, int> lines; ///< of the keys so far

        const Node* waiting() const { return key ? &*key : nullptr; } ///< the key whose value comes next
    };

    void place(Node& node, std::size_t byte) const {
        node.offset = byte;
        node.at = m_places.at(byte);
    }

    Node make(const YAML::Mark& mark, YAML::anchor_t anchor) const {
        Node node;
        place(node, byteOf(mark));
        node.anchored = anchor != 0;
        return node;
    }

    /// Returns whether the value has the position of its key, which yaml-cpp reports for a key without a colon.
    bool isKeyItself(const Node& value) const {
        return !m_open.empty() && m_open.back().key && value.offset <= m_open.back().key->offset;
    }

    /// Returns the "null" or "~" for which yaml-cpp reports a null; empty if nothing is written: the mark is then that
    /// of the next token, which may be a key of that name.
    std::string writtenNull(std::size_t begin) const {
        const bool flow = !m_open.empty() && m_open.back().node.flow;
        const std::size_t end =
            std::min(m_text.find_first_of(flow ? " \t\r\n,[]{}:" : " \t\r\n:", begin), m_text.size());
        std::string word = m_text.substr(begin, end - begin);
        if (!isNullWord(word))
            return {};
        const bool wantsKey = !m_open.empty() && m_open.back().node.isMap() && !m_open.back().key;
        const std::size_t next = std::min(m_text.find_first_not_of(" \t", end), m_text.size());
        const bool ends =
            next == m_text.size() || std::string_view(flow ? "\r\n#,]}" : "\r\n#").find(m_text[next]) != kNowhere;
        return ends || (m_text[next] == ':' && wantsKey) ? word : "";
    }

    /// Returns where a missing value would be: after its dash or colon.
    std::size_t nothingAt(std::size_t marked) const {
        if (m_open.empty())
            return marked;
        const Node& holder = m_open.back().node;
        const Node* key = m_open.back().waiting();
        const FlowContext within = insideOpen(holder, key, enclosing());
        if (key) {
            const std::size_t colon = colonAfter(m_text, *key, within);
            return colon == kNowhere ? nodeEnd(m_text, *key, within) : colon + 1;
        }
        if (!holder.isList() || holder.flow)
            return marked;
        const bool first = holder.items.empty(), nothing = !first && holder.items.back().isNothing();
        const std::size_t before = first     ? contentBegin(m_text, holder)
                                   : nothing ? holder.items.back().offset
                                             : nodeEnd(m_text, holder.items.back(), within);
        const std::size_t dash = skipBlank(m_text, before);
        return dash < m_text.size() && m_text[dash] == '-' ? dash + 1 : marked;
    }

    /// Returns whether the key has a colon or, as in "? key", needs none. yaml-cpp accepts a single word as a key
    /// without a value.
    bool hasColon(const Node& key, const Node& map) const {
        const std::size_t before = m_text.find_last_not_of(" \t", key.offset == 0 ? 0 : key.offset - 1);
        const bool asked = key.offset > 0 && before != std::string::npos && m_text[before] == '?';
        return asked || colonAfter(m_text, key, insideOpen(map, &key, enclosing())) != kNowhere;
    }

    /// Returns what encloses the innermost open section or list.
    FlowContext enclosing() const {
        FlowContext around;
        for (std::size_t i = 0; i + 1 < m_open.size(); ++i)
            around = insideOpen(m_open[i].node, m_open[i].waiting(), around);
        return around;
    }

    /// Does the same as inside(); if a section does not have an entry yet, its first key gives the column.
    static FlowContext insideOpen(const Node& holder, const Node* key, const FlowContext& around) {
        const bool first = holder.isMap() && !holder.flow && holder.entries.empty() && key && !around.flow;
        return first ? FlowContext{false, key->at.column - 1} : inside(holder, around);
    }

    /// Applies a tag: !!int "5" is 5. A tag that Python's safe loaders refuse is an error here too.
    static void applyTag(Node& node, const std::string& tag) {
        static const std::map<std::string, Type, std::less<>> types{{"tag:yaml.org,2002:int", Type::Int},
                                                                    {"tag:yaml.org,2002:float", Type::Float},
                                                                    {"tag:yaml.org,2002:bool", Type::Bool},
                                                                    {"tag:yaml.org,2002:null", Type::Null}};
        const auto it = types.find(tag);
        if (it == types.end())
            refuse(node.at,
                   {"the tag {} is unknown; NeMo takes !!str, !!int, !!float, !!bool, !!null, !!map and !!seq", tag});
        if (it->second == Type::Float && typeOf(node) == Type::Int && asInt(node))
            node.text = std::to_string(*asInt(node)) + ".0";
        if (typeOf(node) != it->second)
            refuse(node.at, {"{} does not match its tag: it is not {}", node.text, typeName(it->second)});
    }

    void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
              YAML::EmitterStyle::value style) {
        OpenNode frame;
        frame.node = make(mark, anchor);
        frame.node.kind = kind;
        frame.node.flow = style == YAML::EmitterStyle::Flow;
        frame.node.tagged = tag.size() > 1;
        frame.anchor = anchor;
        const char* own = kind == Node::Kind::Map ? "tag:yaml.org,2002:map" : "tag:yaml.org,2002:seq";
        if (frame.node.tagged && tag != own)
            refuse(frame.node.at, {"the tag {} is unknown", tag});
        count(1, frame.node.at);
        if (m_open.size() >= kMaxDepth)
            refuse(frame.node.at, {"more than {} nested sections and lists", kMaxDepth});
        m_open.push_back(std::move(frame));
    }

    void close() {
        OpenNode frame = std::move(m_open.back());
        m_open.pop_back();
        add(std::move(frame.node), frame.anchor);
    }

    void count(std::size_t more, Position at) {
        m_nodes += more;
        if (m_nodes > kMaxNodes)
            refuse(at, {"more than {} values, counting aliases: this is not a recipe", kMaxNodes});
    }

    void add(Node node, YAML::anchor_t anchor) {
        if (anchor)
            m_anchors[anchor] = Anchor{node, countNodes(node)};
        if (m_open.empty()) {
            m_root = std::move(node);
            return;
        }
        OpenNode& frame = m_open.back();
        if (frame.node.isList()) {
            frame.node.items.push_back(std::move(node));
        } else if (!frame.key) {
            if (!node.isScalar())
                refuse(node.at, "a key must be a word, not a list, section or nothing");
            if (node.text.size() > kMaxKey)
                refuse(node.at, {"a key of more than {} bytes: this is not a recipe", kMaxKey});
            frame.key = std::move(node);
        } else {
            addEntry(frame, std::move(node));
        }
    }

    void addEntry(OpenNode& frame, Node value) {
        Entry entry{std::move(*frame.key), std::move(value)};
        frame.key.reset();
        entry.mergeKey = entry.key.text == "<<" && !entry.key.quoted;
        if (entry.value.isNothing() && !frame.node.flow && !hasColon(entry.key, frame.node))
            refuse(entry.key.at, {"invalid YAML: {}", Message("a colon and a space are missing after a key")});
        const auto [twin, fresh] = frame.lines.emplace(entry.key.text, entry.key.at.line);
        if (!fresh && !entry.mergeKey)
            refuse(entry.key.at,
                   {"the key {} appears twice in this section, first in line {}", entry.key.text, twin->second});
        frame.node.entries.push_back(std::move(entry));
    }

    const std::string& m_text;
    const Places& m_places;
    std::size_t m_shift;
    bool m_begun = false;
    std::size_t m_nodes = 0;
    std::vector<OpenNode> m_open;
    std::set<std::string> m_names;
    std::map<YAML::anchor_t, Anchor> m_anchors; ///< those that are complete
    Node m_root;
};

[[noreturn]] void refuseBroken(const std::string& text, const YamlFailure& failure, const Places& places) {
    const BrokenYaml broken = explained(text, failure);
    refuse(places.at(broken.byte), failure.inside ? Message("invalid YAML: {} (it begins on line {})", broken.text,
                                                            places.at(*failure.inside).line)
                                                  : Message("invalid YAML: {}", broken.text));
}

Node parseOrThrow(const std::string& text) {
    if (auto wrong = wrongBytes(text))
        throw ParseRefused{std::move(*wrong)};
    const std::size_t shift = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
    const Places places(text);
    std::istringstream in(text.substr(shift));
    Builder builder(text, shift, places);
    try {
        YAML::Parser parser(in);
        parser.HandleNextDocument(builder);
        parser.HandleNextDocument(builder); // refuses a second document
    } catch (const YAML::Exception& e) {
        refuseBroken(text, {e.msg, e.mark.is_null() ? 0 : builder.byteOf(e.mark), builder.openBracket()}, places);
    }
    return builder.take();
}

} // namespace

tl::expected<Node, Problem> parseYaml(const std::string& text) {
    Problem problem;
    try {
        return parseOrThrow(text);
    } catch (const ParseRefused& refused) {
        problem = refused.problem;
    } catch (const std::exception& e) {
        problem.text = {"invalid YAML: {}", e.what()};
    }
    return tl::unexpected(std::move(problem));
}

Node parseValue(const ValueText& text) {
    auto parsed = parseYaml(text);
    return parsed ? std::move(*parsed) : Node::string(text);
}

LinkedLibrary yamlCppVersion() {
    return {"yaml-cpp", RANKSCOPE_YAML_CPP_VERSION};
}

} // namespace rankscope::config
