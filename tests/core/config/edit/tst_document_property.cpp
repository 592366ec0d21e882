// SPDX-License-Identifier: Apache-2.0
// Thousands of random edits: exactly the edited key changes, and the bytes around it stay the same. The results are
// checked with yaml-cpp's own tree, not with the parser under test.
#include "core/config/edit/document_edit.h"
#include "tests/core/config/edit/random_edits.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

#include <yaml-cpp/yaml.h>

#include <map>

using namespace rankscope::config;
using namespace rankscope::config::test;

namespace {

using Flat = std::map<std::string, std::string>;

/// Returns whether quotes change the meaning of the word: a number, a bool or null. Other words may get quotes inside
/// brackets.
bool needsQuotes(const std::string& s) {
    return s.empty() || std::string("0123456789-+.~").find(s[0]) != std::string::npos || s == "true" || s == "False" ||
           s == "null";
}

/// Returns a leaf of yaml-cpp's tree as text that distinguishes kinds, tags and digits.
std::string shown(const YAML::Node& node) {
    std::string out;
    switch (node.Type()) {
    case YAML::NodeType::Scalar:
        return (node.Tag() == "!" && needsQuotes(node.Scalar()) ? "!" : "") + ("<" + node.Scalar() + ">");
    case YAML::NodeType::Sequence:
        for (const auto& item : node)
            out += shown(item) + ";";
        return "[" + out + "]";
    case YAML::NodeType::Map:
        for (const auto& e : node)
            out += e.first.Scalar() + "=" + shown(e.second) + ";";
        return "{" + out + "}";
    default:
        return "null";
    }
}

void flatten(const YAML::Node& node, const std::string& at, Flat& out) {
    if (!node.IsMap() || node.size() == 0) {
        out[at] = shown(node);
        return;
    }
    for (const auto& e : node)
        flatten(e.second, at.empty() ? e.first.Scalar() : at + "." + e.first.Scalar(), out);
}

Flat flat(const std::string& text) {
    Flat out;
    flatten(YAML::Load(text), "", out);
    return out;
}

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> out(1);
    for (const char c : text) {
        out.back() += c;
        if (c == '\n')
            out.emplace_back();
    }
    return out;
}

/// The lines between the common beginning and the common end of both texts.
struct Changed {
    std::size_t before = 0, after = 0;
};

Changed changedLines(const std::string& a, const std::string& b) {
    const auto x = lines(a), y = lines(b);
    std::size_t head = 0, tail = 0;
    while (head < std::min(x.size(), y.size()) && x[head] == y[head])
        ++head;
    while (tail < std::min(x.size(), y.size()) - head && x[x.size() - 1 - tail] == y[y.size() - 1 - tail])
        ++tail;
    return {x.size() - head - tail, y.size() - head - tail};
}

std::size_t comments(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '#'));
}

} // namespace

class TestDocumentProperty : public QObject {
    Q_OBJECT

    int m_sets = 0, m_adds = 0, m_removes = 0, m_refused = 0;

    /// Erases everything below `key` in a flat map, including `key` itself.
    static void eraseBelow(Flat& map, const std::string& key) {
        std::erase_if(map, [&](const auto& kv) { return kv.first == key || kv.first.rfind(key + ".", 0) == 0; });
    }

    static Flat expectedAfterSet(Flat before, const std::string& key, const std::string& value) {
        eraseBelow(before, key);
        for (auto dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1))
            before.erase(key.substr(0, dot)); // an empty section is no longer empty
        Flat added;
        flatten(YAML::Load("k: " + value)["k"], key, added);
        before.merge(added);
        return before;
    }

    void set(Document& d, const std::string& key, const std::string& value) {
        const std::string before = d.text();
        const bool known = find(*d.root(), key) != nullptr;
        const auto done = setValue(d, key, value);
        if (!done) {
            ++m_refused;
            QVERIFY(d.text() == before);
            QVERIFY2(m_mayRefuse, done.error().message().c_str());
            return;
        }
        ++(known ? m_sets : m_adds);
        const Flat after = flat(d.text());
        const Flat expected = expectedAfterSet(flat(before), key, value);
        QVERIFY2(after == expected, (key + " = " + value + "\n" + d.text()).c_str());
        const Changed changed = changedLines(before, d.text());
        if (m_oneLineValues && known) {
            QVERIFY2(changed.before <= 1 && changed.after <= 1, (key + " = " + value).c_str());
            QVERIFY(comments(d.text()) + 4 >= comments(before));
        } else if (!known) {
            const auto levels = static_cast<std::size_t>(std::count(key.begin(), key.end(), '.')) + 1;
            QVERIFY(changed.before <= 1 && changed.after <= levels + 1);
        }
        QCOMPARE(d.text().find("\r\n") != std::string::npos, before.find("\r\n") != std::string::npos);
    }

    void remove(Document& d, const std::string& key) {
        const std::string before = d.text();
        Flat expected = flat(before);
        const auto done = removeKey(d, key);
        if (!done) {
            ++m_refused;
            QVERIFY(d.text() == before);
            QVERIFY2(m_mayRefuse, done.error().message().c_str());
            return;
        }
        ++m_removes;
        eraseBelow(expected, key);
        const auto dot = key.rfind('.');
        const std::string parent = dot == std::string::npos ? "" : key.substr(0, dot);
        const bool emptied = dot != std::string::npos &&
                             std::none_of(expected.begin(), expected.end(),
                                          [&](const auto& kv) { return kv.first.rfind(parent + ".", 0) == 0; });
        if (emptied)
            expected[parent] = "{}";
        QVERIFY2(flat(d.text()) == expected, ("~" + key + "\n" + d.text()).c_str());
    }

    /// Returns a section that may get a new key: the parent of some leaf.
    static std::string section(Rng& rng, const std::vector<std::string>& keys) {
        const std::string& key = rng.of(keys);
        const auto dot = key.rfind('.');
        return dot == std::string::npos ? "" : key.substr(0, dot + 1);
    }

    void edit(const std::string& text, unsigned seed, int edits) {
        Rng rng(seed);
        Document d = Document::fromText(text, "r.yaml");
        QVERIFY(!d.parseError());
        for (int i = 0; i < edits && !QTest::currentTestFailed(); ++i) {
            if (i % 60 == 59) // stay close to a real file
                d = Document::fromText(text, "r.yaml");
            const auto keys = leafKeys(*d.root());
            std::vector<std::string> plain; // keys that contain dots cannot be addressed
            for (const auto& key : keys)
                if (find(*d.root(), key))
                    plain.push_back(key);
            const std::size_t what = rng.below(10);
            if (what < 6)
                set(d, rng.of(plain), rng.of(kValues));
            else if (what < 8)
                set(d, section(rng, plain) + "new_" + std::to_string(rng.below(1000)) + (what == 7 ? ".deep.er" : ""),
                    rng.of(kValues));
            else
                remove(d, rng.of(plain));
        }
    }

    bool m_mayRefuse = false, m_oneLineValues = true;

private Q_SLOTS:
    void shippedRecipes_data() {
        QTest::addColumn<QString>("text");
        for (const char* name :
             {"quickstart", "nest_small", "nest_medium", "nest_large", "nest_xlarge", "nest_xxlarge"})
            QTest::newRow(name) << QString::fromStdString(sourceText(std::string("configs/") + name + ".yaml"));
        QString windows = QString::fromStdString(sourceText("configs/nest_large.yaml"));
        windows.replace("\n", "\r\n");
        QTest::newRow("windows line ends") << windows;
        QTest::newRow("byte order mark") << QString(QChar(0xfeff)) +
                                                QString::fromStdString(sourceText("configs/nest_small.yaml"));
        const QString nemo = qEnvironmentVariable("RANKSCOPE_NEMO_DIR");
        if (!nemo.isEmpty()) {
            const auto text =
                rankscope::readFile((nemo + "/examples/asr/conf/ssl/nest/nest_fast-conformer.yaml").toStdString());
            QVERIFY(text);
            QTest::newRow("NeMo's own") << QString::fromStdString(*text);
        }
    }
    void shippedRecipes() {
        QFETCH(QString, text);
        m_mayRefuse = false;
        m_oneLineValues = !text.startsWith("# A first run"); // its faults are written as a block of lines
        edit(text.toStdString(), 1, 500);
    }

    void trickyFile() {
        m_mayRefuse = false;
        m_oneLineValues = false;
        edit(dataText("tricky.yaml"), 2, 1500);
    }

    void anchorsAreNeverBroken() {
        m_mayRefuse = true;
        m_oneLineValues = false;
        edit(dataText("anchors.yaml"), 3, 600);
        QVERIFY(m_refused > 0);
    }

    void cleanupTestCase() {
        qInfo("%d values set, %d keys added, %d removed, %d refused", m_sets, m_adds, m_removes, m_refused);
        QVERIFY(m_sets > 1000 && m_adds > 500 && m_removes > 500);
    }
};

RANKSCOPE_CORE_TEST(TestDocumentProperty)
#include "tst_document_property.moc"
