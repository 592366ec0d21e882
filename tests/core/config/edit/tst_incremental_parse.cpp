// SPDX-License-Identifier: Apache-2.0
// Parsing only a part of a text gives the same result as parsing the whole text, whatever is typed.
//
// RANKSCOPE_REPARSE_EDITS: number of edits (20,000). RANKSCOPE_REPARSE_SEED: seed of the edits. A failure prints text
// and edit.
#include "core/config/edit/document.h"
#include "core/config/yaml/yaml_parser.h"
#include "tests/core/config/edit/random_edits.h"
#include "tests/core/config/edit/same_node.h"
#include "tests/core/config/support.h"
#include "tests/environment.h"
#include "tests/support/test_runner.h"

#include <fmt/format.h>

using namespace rankscope::config;
using namespace rankscope::config::test;
using rankscope::test::numberFrom;

namespace {

/// Text that people type, especially characters with a meaning in YAML.
const std::vector<std::string> kTyped{"",      "a",
                                      " ",     "\n",
                                      ": ",    "\"",
                                      "[",     "- ",
                                      "#",     "\n  b: 1",
                                      "&x ",   "é",
                                      "!",     "! ",
                                      "? ",    "?",
                                      "\n!\n", "\n? ",
                                      "|",     "\n  ",
                                      ">\n",   "\t",
                                      "\r\n",  "\n#",
                                      "'",     "{",
                                      "}",     "]",
                                      ",",     "<<: ",
                                      "*x",    "%",
                                      "@",     "`",
                                      ":",     "!!str ",
                                      "\n- ",  "~",
                                      "null",  "---",
                                      "...",   "\n\n",
                                      "\nb: ", "b:\n",
                                      "---\n", "\n    c: 2\n",
                                      "#\n",   "? a\n: b\n"};

struct Typed {
    std::string text, word;
    ByteRange range;

    std::string after() const { return text.substr(0, range.begin) + word + text.substr(range.end); }
};

std::string describe(const Typed& edit) {
    return fmt::format("bytes {} to {} become \"{}\" in\n{}", edit.range.begin, edit.range.end, edit.word, edit.text);
}

/// Returns how parsing a part differs from parsing the whole text; empty if it does not.
std::string wrong(const Document& before, const Typed& edit, Document& after) {
    std::string text = edit.after();
    const auto whole = parseYaml(text);
    after = reparsed(before, std::move(text), edit.range);
    if (whole.has_value() != (after.root() != nullptr))
        return whole ? "broken when read in part: " + describe(edit) : "fine when read in part: " + describe(edit);
    if (!whole)
        return whole.error().text == after.parseError()->text ? "" : "another error: " + describe(edit);
    return sameNode(*whole, *after.root()) ? "" : "another tree: " + describe(edit);
}

std::string without(std::string text, std::string_view marks) {
    std::erase_if(text, [&](char c) { return marks.find(c) != marks.npos; });
    return text;
}

} // namespace

class TestReparse : public QObject {
    Q_OBJECT

    std::vector<std::string> m_texts;

    Typed typed(const std::string& text, Rng& rng) const {
        Typed edit{text, rng.of(kTyped), {rng.below(text.size() + 1), 0}};
        edit.range.end = std::min(text.size(), edit.range.begin + rng.below(rng.below(3) == 0 ? 30 : 4));
        if (rng.below(8) == 0 && !text.empty()) // a paste from elsewhere in the text
            edit.word = text.substr(rng.below(text.size()), rng.below(20));
        return edit;
    }

private Q_SLOTS:
    void initTestCase() {
        for (const char* folder : {"tests/fuzz/seeds/config", "tests/core/config/data"})
            for (const auto& entry : std::filesystem::directory_iterator(sourceDir() / folder))
                if (entry.path().extension() == ".yaml") {
                    const std::string text = sourceText(std::filesystem::relative(entry.path(), sourceDir()));
                    m_texts.push_back(text.substr(0, text.find("\n%%\n")));
                }
        std::sort(m_texts.begin(), m_texts.end());
        QVERIFY(m_texts.size() > 4);
    }

    void known_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("old");
        QTest::addColumn<QString>("now");
        QTest::newRow("a tag alone is the value before") << "a:\n! b:\n  c: 2\n"
                                                         << " b"
                                                         << "\nb";
        QTest::newRow("a directive") << "m: |+1\n    x\n  less\n\nb: 1\n"
                                     << "  less"
                                     << "% less";
        QTest::newRow("a null that is a key") << "a: >-\n  x\n  b\nc: 1\n"
                                              << "  x"
                                              << "~";
        QTest::newRow("behind a byte order mark") << QString(QChar(0xfeff)) + "a: 1\nt: |+2\n    x\n  y\n\nb: 1\n"
                                                  << "\n    x"
                                                  << "\n? x";
        QTest::newRow("a first key without a value") << "n: 1\nl:\n  e:\n    - a: 0\n"
                                                     << "  e"
                                                     << " ? 4\ne";
        QTest::newRow("a word like null") << "arainer:\nnull }v: 1\n"
                                          << "ain"
                                          << ":";
        QTest::newRow("a merge that is one no more") << "n: 3\n<<: \n  d: 2\n"
                                                     << "<: "
                                                     << "<|: ";
        QTest::newRow("a tag behind a question mark") << "n: seed!!str \nm- c: 3\nt:\n  d: 2\n"
                                                      << "d!!"
                                                      << "\n? !!";
        QTest::newRow("a question mark on its own line") << "t: |+2\n \n  x\n?\n\n odd\n: k\n"
                                                         << "x\n?"
                                                         << "!!str ";
    }
    void known() {
        QFETCH(QString, text);
        QFETCH(QString, old);
        QFETCH(QString, now);
        const std::string before = text.toStdString();
        const std::size_t at = before.find(old.toStdString());
        QVERIFY(at != std::string::npos);
        const Document document = Document::fromText(before, "r.yaml");
        QVERIFY2(document.root(), "the text itself is broken");
        Document after;
        const auto problem = wrong(document, {before, now.toStdString(), {at, at + old.toStdString().size()}}, after);
        QVERIFY2(problem.empty(), problem.c_str());
    }

    /// Half of the texts keep the characters that make the parser read the whole text; the other half have them
    /// removed.
    void typing() {
        const int edits = numberFrom("RANKSCOPE_REPARSE_EDITS", 20'000);
        Rng rng(static_cast<unsigned>(numberFrom("RANKSCOPE_REPARSE_SEED", 1)));
        int done = 0, inPart = 0;
        while (done < edits) {
            const std::string_view marks = rng.below(2) == 0 ? "" : "!?&*";
            Document document = Document::fromText(without(rng.of(m_texts), marks), "r.yaml");
            for (int i = 0; i < 20 && document.root() && document.text().size() < 4000; ++i, ++done) {
                Typed edit = typed(document.text(), rng);
                edit.word = without(edit.word, marks);
                inPart += reparsedPart(document, edit.after(), edit.range, 4000).has_value() ? 1 : 0;
                Document after;
                const std::string problem = wrong(document, edit, after);
                QVERIFY2(problem.empty(), problem.c_str());
                if (after.root())
                    document = std::move(after);
            }
        }
        qInfo("%d edits, %d of them read in part", done, inPart);
        QVERIFY2(inPart * 10 > done, "nearly all were read as a whole: nothing was tested");
    }
};

RANKSCOPE_CORE_TEST(TestReparse)
#include "tst_incremental_parse.moc"
