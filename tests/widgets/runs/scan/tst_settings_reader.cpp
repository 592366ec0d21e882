// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that are read from lines are those that parsing the text as YAML gives.
#include "core/base/files/file.h"
#include "core/config/effective/effective.h"
#include "tests/support/test_runner.h"
#include "widgets/runs/scan/settings_reader.h"

#include <QTest>

#include <random>

using namespace rankscope;
using namespace rankscope::ui;

static constexpr const char* kText = "# Effective configuration\n"
                                     "name: \"a: run # 1\"\n"
                                     "seed: 5\n"
                                     "model:\n"
                                     "  rate: 16000  # NeMo YAML\n"
                                     "  train_ds:\n"
                                     "    files: [a.json, \"b c.json\", null]  # override\n"
                                     "    labels: {}\n"
                                     "    missing: ???\n"
                                     "    nothing:\n"
                                     "  optim:\n"
                                     "\n"
                                     "    lr: 1e-3\n"
                                     "    betas: [0.9, 0.98]\n"
                                     "trainer:\n"
                                     "  devices: -1\n"
                                     "  text: it's [odd], yes\n"
                                     "  single: 'it''s'\n"
                                     "  off: no\n"
                                     "last: ~\n";

class TestSettingsReader : public QObject {
    Q_OBJECT

private slots:
    void init() { m_reader = SettingsReader(m_pool); }

    void effectiveTextsAreReadByLine_data() {
        QTest::addColumn<QString>("recipe");
        for (const char* name : {"nest_medium.yaml", "nest_xxlarge.yaml", "quickstart.yaml"})
            QTest::newRow(name) << QStringLiteral(RANKSCOPE_CONFIGS "/") + QLatin1String(name);
    }
    void effectiveTextsAreReadByLine() {
        QFETCH(const QString, recipe);
        const auto effective = config::evaluateFile(recipe.toStdString(), {});
        QVERIFY(effective && !effective->text.empty());
        QCOMPARE(read(effective->text), parsed(effective->text));
        QCOMPARE(m_reader.parsed(), 0);
    }

    void linesThatNeedYaml_data() {
        QTest::addColumn<QString>("text");
        const auto add = [](const char* text) { QTest::newRow(text) << QString::fromUtf8(text); };
        add("a: &x 1\nb: *x\n");
        add("a: |\n  b: 1\nc: 2\n");
        add("a: one\n  two\nb: 1\n");
        add("a: [1,\n  2]\n");
        add("a: \"one\n  two\"\n");
        add("a:\n- 1\n- 2\n");
        add("a:\n  - b: 1\n    c: 2\n");
        add("a: {b: 1, c: 2}\n");
        add("a: !!str 5\n");
        add("a: 1\na: 2\n");
        add("a:\n  b: 1\na:\n  c: 1\n");
        add("a: 1\n  b: 2\n");
        add("a:\n    b: 1\n  c: 2\n");
        add("  a: 1\nb: 2\n");
        add("\"a\": 1\n");
        add("a: b: c\n");
        add("a: [1\n");
        add("a: 1\n---\nb: 2\n");
        add("a: ---\n");
        add("a: %\n");
        add("a: - 1\n");
        add("a: =\n");
        add("base: &b {x: 1}\na:\n  <<: *b\n");
        add("a: 1\r\nb: 2\r\n");
        add("a:\t1\n");
        add("\xef\xbb\xbf"
            "a: 1\n");
        add("just words\n");
        add("");
        add("# nothing\n");
        add("a: 1 # \xff\n");
    }
    void linesThatNeedYaml() {
        QFETCH(const QString, text);
        QCOMPARE(read(text.toStdString()), parsed(text.toStdString()));
    }

    /// Whatever is changed in a text, both ways of reading agree: on the settings, or on the error.
    void changedTexts() {
        QCOMPARE(read(kText), parsed(kText));
        QCOMPARE(m_reader.parsed(), 0);
        constexpr std::string_view kPut = " :#-[]{}\"'&*!|>%@,\n\tab0~?=.<";
        std::mt19937 random(1);
        const auto below = [&random](std::size_t end) { return random() % end; };
        for (int i = 0; i < 4000; ++i) {
            std::string text = kText;
            for (auto edits = below(3) + 1; edits > 0; --edits) {
                const std::size_t at = below(text.size());
                const std::size_t line = text.rfind('\n', at) + 1;
                switch (below(5)) {
                case 0:
                    text.erase(at, 1);
                    break;
                case 1:
                    text.insert(line, 1, ' ');
                    break;
                case 2:
                    text.insert(line, text.substr(line, text.find('\n', line) - line) + "\n");
                    break;
                default:
                    text.insert(at, 1, kPut[below(kPut.size())]);
                }
            }
            const QStringList lines = read(text), yaml = parsed(text);
            QVERIFY2(lines == yaml, qPrintable(QString::fromStdString(text) + lines.join(QLatin1Char('\n')) +
                                               QStringLiteral("\nas YAML:\n") + yaml.join(QLatin1Char('\n'))));
        }
    }

private:
    static QStringList linesOf(const Result<RunSettingsPtr>& settings) {
        if (!settings)
            return {QStringLiteral("error ") + QString::fromStdString(settings.error().message())};
        QStringList lines;
        for (const auto& entry : (*settings)->entries)
            lines << QString::fromStdString(*entry.key + "=" + *entry.value);
        return lines;
    }
    QStringList read(const std::string& text) { return linesOf(m_reader.read(text, "f")); }
    QStringList parsed(const std::string& text) { return linesOf(settingsOf(text, "f", m_pool)); }

    std::shared_ptr<StringInterner> m_pool = std::make_shared<StringInterner>();
    SettingsReader m_reader{m_pool};
};

RANKSCOPE_CORE_TEST(TestSettingsReader)
#include "tst_settings_reader.moc"
