// SPDX-License-Identifier: Apache-2.0
// Thousands of random edits (change, add, remove, move) of real recipes. For each edit: no byte outside the reported
// range changes; yaml-cpp reads from the new text the tree that results from applying the same edit to the old tree;
// undoing the edit restores the old text byte for byte; and parsing only a part gives the same result as parsing
// everything.
#include "core/config/edit/document_edit.h"
#include "core/config/yaml/yaml_parser.h"
#include "tests/core/config/edit/random_edits.h"
#include "tests/core/config/edit/same_node.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

#include <yaml-cpp/yaml.h>

#include <array>
#include <numeric>

using namespace rankscope;
using namespace rankscope::config;
using namespace rankscope::config::test;

namespace {

/// yaml-cpp's tree, including the order of keys, in a form that can be edited and compared.
struct Tree {
    std::string scalar; ///< "[" for a list, "{" for a section
    std::vector<std::pair<std::string, Tree>> children;

    bool operator==(const Tree& other) const = default;

    static Tree of(const YAML::Node& node) {
        Tree tree;
        if (node.IsMap()) {
            tree.scalar = "{";
            for (const auto& e : node)
                tree.children.emplace_back(e.first.Scalar(), of(e.second));
        } else if (node.IsSequence()) {
            tree.scalar = "[";
            for (const auto& item : node)
                tree.children.emplace_back("", of(item));
        } else {
            // quotes change the meaning of a number, a bool or null; other words may get quotes inside brackets
            const bool quoted = node.IsScalar() && node.Tag() == "!" && isSpecial(node.Scalar());
            tree.scalar = node.IsScalar() ? (quoted ? "!<" : "<") + node.Scalar() + ">" : "null";
        }
        return tree;
    }
    static bool isSpecial(const std::string& s) {
        static const std::string begin = "0123456789-+.~";
        return s.empty() || begin.find(s[0]) != std::string::npos || s == "true" || s == "False" || s == "null";
    }

    Tree* at(const Path& path) {
        Tree* tree = this;
        for (const auto& part : path) {
            const auto it = tree->place(part);
            tree = &it->second;
        }
        return tree;
    }
    std::vector<std::pair<std::string, Tree>>::iterator place(const std::string& name) {
        if (scalar == "[")
            return children.begin() + std::stol(name);
        return std::find_if(children.begin(), children.end(), [&](const auto& child) { return child.first == name; });
    }
    void insert(std::size_t index, const std::string& name, Tree child) {
        if (scalar != "[" && scalar != "{")
            scalar = "{";
        const auto at = static_cast<std::ptrdiff_t>(std::min(index, children.size()));
        children.emplace(children.begin() + at, scalar == "[" ? "" : name, std::move(child));
    }
};

/// Collects every node that is written in the file itself, and the containers among them.
void collect(const Node& node, const Path& at, std::vector<Path>& all, std::vector<Path>& containers) {
    if (!at.empty())
        all.push_back(at);
    if (node.alias)
        return;
    if (node.isMap() || node.isList() || (node.kind == Node::Kind::Null && !at.empty()))
        containers.push_back(at);
    Path below = at;
    below.emplace_back();
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        below.back() = std::to_string(i);
        collect(node.items[i], below, all, containers);
    }
    for (const auto& e : node.entries) {
        below.back() = e.key.text;
        if (!e.merged && !e.mergeKey)
            collect(e.value, below, all, containers);
    }
}

std::vector<std::string> commentsOf(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t line = 0; line < text.size();) {
        const std::size_t end = std::min(text.find('\n', line), text.size());
        const std::size_t first = text.find_first_not_of(" \t", line);
        if (first < end && text[first] == '#')
            out.push_back(text.substr(first, end - first));
        line = end + 1;
    }
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

class TestEditProperty : public QObject {
    Q_OBJECT

    enum Kind { Change, Add, Remove, Move };
    std::array<int, 4> m_done{}, m_refused{};
    std::vector<Edit> m_history;

    struct Planned {
        Kind kind = Change;
        Path path;
        EditTarget place;
        std::string value;
    };

    static Planned plan(Rng& rng, const Node& root, int number) {
        std::vector<Path> all, containers;
        collect(root, {}, all, containers);
        Planned p;
        const std::size_t dice = all.empty() ? 7 : rng.below(10);
        p.kind = dice < 3 ? Change : dice < 5 ? Remove : dice < 8 ? Add : Move;
        if (!all.empty())
            p.path = rng.of(all);
        p.value = rng.of(kValues);
        p.place.parent = rng.of(containers);
        if (p.kind == Move && rng.below(2) == 0)
            p.place.parent = Path(p.path.begin(), p.path.end() - 1);
        const Node* parent = find(root, p.place.parent);
        const std::size_t count = parent->isList() ? parent->items.size() : parent->entries.size();
        p.place.index = rng.below(2) == 0 ? kAtEnd : rng.below(count + 1);
        if (p.kind == Add || rng.below(3) == 0)
            p.place.name = "new_" + std::to_string(number);
        return p;
    }

    static Result<Edit> made(const Document& d, const Planned& p) {
        return p.kind == Change   ? changeValue(d, p.path, p.value)
               : p.kind == Add    ? addValue(d, p.place, p.value)
               : p.kind == Remove ? removeValue(d, p.path)
                                  : moveValue(d, p.path, p.place);
    }

    /// Applies the same edit to yaml-cpp's tree.
    static void apply(Tree& tree, const Planned& p) {
        const Path up(p.path.begin(), p.path.empty() ? p.path.end() : p.path.end() - 1);
        if (p.kind == Change) {
            *tree.at(p.path) = Tree::of(YAML::Load("k: " + p.value)["k"]);
        } else if (p.kind == Add) {
            tree.at(p.place.parent)->insert(p.place.index, p.place.name, Tree::of(YAML::Load("k: " + p.value)["k"]));
        } else {
            Tree* from = tree.at(up);
            Tree* to = p.kind == Move ? tree.at(p.place.parent) : nullptr;
            const auto place = from->place(p.path.back());
            auto child = std::move(*place);
            if (!p.place.name.empty())
                child.first = p.place.name;
            if (p.kind == Remove || to == from) {
                from->children.erase(place);
                if (to)
                    to->insert(p.place.index, child.first, std::move(child.second));
                return;
            }
            // insert first: removing the child would shift `to` if it comes after the child
            const Tree marker{"gone", {}};
            place->second = marker;
            to->insert(p.place.index, child.first, std::move(child.second));
            from = tree.at(up);
            std::erase_if(from->children, [&](const auto& c) { return c.second == marker; });
        }
    }

    void check(const Document& before, const Planned& p, const Edit& edit) {
        const std::string& old = before.text();
        const std::string& text = edit.after.text();
        const std::string about = std::to_string(p.kind) + " " + joinKey(p.path) + " -> " + joinKey(p.place.parent) +
                                  "[" + std::to_string(static_cast<long>(p.place.index)) + "] " + p.place.name + " " +
                                  p.value + "\n";
        QVERIFY2(edit.begin <= edit.end && edit.end <= old.size(), about.c_str());
        QVERIFY2(old.substr(edit.begin, edit.end - edit.begin) == edit.removed, about.c_str());
        QVERIFY2(text == old.substr(0, edit.begin) + edit.added + old.substr(edit.end), about.c_str());
        Tree expected = Tree::of(YAML::Load(old));
        apply(expected, p);
        Tree actual = Tree::of(YAML::Load(text));
        if (actual.scalar == "null" && expected.children.empty())
            actual = expected; // a file without keys
        if (!(actual == expected))
            QFAIL((about + text).c_str());
        const auto whole = parseYaml(text);
        QVERIFY2(whole && edit.after.root() && sameNode(*whole, *edit.after.root()), about.c_str());
        const Node* there = find(*whole, edit.path);
        QVERIFY2(p.kind == Remove || there, about.c_str());
        if (p.kind == Add || p.kind == Move)
            QVERIFY2(commentsOf(old) == commentsOf(text), (about + text).c_str());
    }

    void edit(const std::string& text, unsigned seed, int edits) {
        Rng rng(seed);
        const Document first = Document::fromText(text, "r.yaml");
        QVERIFY(!first.parseError());
        Document d = first;
        m_history.clear();
        for (int i = 0; i < edits && !QTest::currentTestFailed(); ++i) {
            if (i % 50 == 49) {
                undoAll(text);
                d = first;
            }
            const Planned p = plan(rng, *d.root(), i);
            auto done = made(d, p);
            if (!done) {
                ++m_refused[static_cast<std::size_t>(p.kind)];
                QVERIFY(!done.error().what.empty());
                if (qEnvironmentVariableIsSet("RANKSCOPE_SHOW_REFUSED"))
                    qInfo("%d %s -> %s: %s", p.kind, joinKey(p.path).c_str(), joinKey(p.place.parent).c_str(),
                          done.error().what.english().c_str());
                continue;
            }
            ++m_done[static_cast<std::size_t>(p.kind)];
            check(d, p, *done);
            d = done->after;
            m_history.push_back(std::move(*done));
        }
        undoAll(text);
    }

    void undoAll(const std::string& text) {
        std::string now = m_history.empty() ? text : m_history.back().after.text();
        for (auto it = m_history.rbegin(); it != m_history.rend(); ++it) {
            QVERIFY(now == it->after.text());
            now.replace(it->begin, it->added.size(), it->removed);
        }
        QVERIFY(now == text);
        m_history.clear();
    }

    static int times() { return std::max(1, qEnvironmentVariableIntValue("RANKSCOPE_EDIT_TIMES")); }

private Q_SLOTS:
    void files_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("refused"); ///< in percent, at most
        const auto row = [](const std::string& name, const std::string& text, int refused) {
            QTest::newRow(name.c_str()) << QByteArray::fromStdString(text) << refused;
        };
        for (const char* name : {"nest_fast-conformer", "nest_titanet_small", "contextnet_rnnt", "wav2vec_pretrain",
                                 "fastconformer_hybrid_tdt_ctc_bpe"})
            row(name, sourceText(std::string("tests/data/nemo/conf/") + name + ".yaml"), 12);
        row("with anchors: citrinet_512", sourceText("tests/data/nemo/conf/citrinet_512.yaml"), 40);
        row("with anchors: fast-conformer_aed", sourceText("tests/data/nemo/conf/fast-conformer_aed.yaml"), 40);
        row("quickstart", sourceText("configs/quickstart.yaml"), 12);
        row("tricky", dataText("tricky.yaml"), 40);
        row("anchors", dataText("anchors.yaml"), 80);
        std::string windows = sourceText("configs/nest_small.yaml");
        for (auto at = windows.find('\n'); at != std::string::npos; at = windows.find('\n', at + 2))
            windows.insert(at, 1, '\r');
        row("line ends of Windows", windows, 12);
        std::string marked = "\xef\xbb\xbf" + sourceText("configs/nest_small.yaml");
        marked.pop_back();
        row("byte order mark, no last line end", marked, 12);
    }
    void files() {
        QFETCH(QByteArray, text);
        QFETCH(int, refused);
        const int done = std::accumulate(m_done.begin(), m_done.end(), 0);
        const int no = std::accumulate(m_refused.begin(), m_refused.end(), 0);
        edit(text.toStdString(), 1, 400 * times());
        const int nowDone = std::accumulate(m_done.begin(), m_done.end(), 0) - done;
        const int nowNo = std::accumulate(m_refused.begin(), m_refused.end(), 0) - no;
        QVERIFY2(nowNo * 100 <= refused * (nowDone + nowNo),
                 qPrintable(QString("%1 of %2 edits refused").arg(nowNo).arg(nowDone + nowNo)));
    }

    void cleanupTestCase() {
        for (int kind = Change; kind <= Move; ++kind) {
            qInfo("%s: %d done, %d refused",
                  std::array{"change", "add", "remove", "move"}[static_cast<std::size_t>(kind)],
                  m_done[static_cast<std::size_t>(kind)], m_refused[static_cast<std::size_t>(kind)]);
            QVERIFY(m_done[static_cast<std::size_t>(kind)] > 300);
        }
    }
};

RANKSCOPE_CORE_TEST(TestEditProperty)
#include "tst_document_edit_property.moc"
