// SPDX-License-Identifier: GPL-3.0-or-later
// Building blocks of the page: differences of texts, drafts of unsaved edits, editors by type.
#include "core/base/process/process_identity.h"
#include "tests/support/test_runner.h"
#include "widgets/config/recipe/draft_store.h"
#include "widgets/config/text/changes_view.h"
#include "widgets/config/tree/list_editor.h"
#include "widgets/config/tree/value_line.h"
#include "widgets/theme/theme.h"

#include <QDir>
#include <QFile>
#include <QListWidget>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

using namespace rankscope;
using namespace rankscope::ui;

class Tools : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }

    void differencesGoThereAndBack() {
        QRandomGenerator random(3);
        const auto text = [&] {
            static const char* lines[] = {"a: 1", "b: 2", "", "# why", "  c: 3"};
            std::string out;
            for (int i = random.bounded(20); i > 0; --i)
                out += std::string(lines[random.bounded(5)]) + "\n";
            return out;
        };
        for (int turn = 0; turn < 2000; ++turn) {
            const std::string before = text(), after = text();
            std::string olds, news;
            int changed = 0;
            for (const DiffLine& line : lineDiff(before, after)) {
                if (line.kind != DiffLine::DiffLineKind::Added)
                    olds += line.text + "\n";
                if (line.kind != DiffLine::DiffLineKind::Removed)
                    news += line.text + "\n";
                changed += line.kind != DiffLine::DiffLineKind::Same;
            }
            QCOMPARE(olds, before);
            QCOMPARE(news, after);
            QCOMPARE(changed == 0, before == after);
        }
    }

    void differencesAreFew() {
        const auto lines = lineDiff("a\nb\nc\nd\ne\n", "a\nX\nc\nd\nY\ne\n");
        int removed = 0, added = 0;
        for (const DiffLine& line : lines) {
            removed += line.kind == DiffLine::DiffLineKind::Removed;
            added += line.kind == DiffLine::DiffLineKind::Added;
        }
        QCOMPARE(removed, 1);
        QCOMPARE(added, 2);
        QVERIFY(hunks(lines, 0).size() < lines.size());
        QVERIFY(lineDiff("a\r\nb\r\n", "a\nb\n").front().kind ==
                DiffLine::DiffLineKind::Same); // line endings do not count as a difference
        std::string many, none;
        for (int i = 0; i < 5000; ++i)
            many += std::to_string(i) + "\n";
        for (int i = 0; i < 5000; ++i)
            none += "x" + std::to_string(i) + "\n";
        // too many lines for a minimal difference, but the result is correct
        QCOMPARE(lineDiff(many, none).size(), std::size_t(10000));
    }

    void draftsAreKeptAndTakenOnce() {
        QTemporaryDir dir;
        const QString path = QStringLiteral("/somewhere/a.yaml");
        {
            DraftStore store(dir.path());
            store.keep({path, {}, path, "name: x\n", DraftStore::hashOf("name: y\n"), QDateTime::currentDateTime()});
            store.flush();
            const auto files = QDir(dir.path()).entryInfoList({QStringLiteral("*.draft")}, QDir::Files);
            QCOMPARE(files.size(), 1);
            QCOMPARE(files.front().permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
            const auto draft = store.take(path, {});
            QVERIFY(draft);
            QCOMPARE(draft->text, std::string("name: x\n"));
            QCOMPARE(draft->baseHash, DraftStore::hashOf("name: y\n"));
            QVERIFY(!store.take(QStringLiteral("/somewhere/b.yaml"), {}));
            store.drop(path, {});
            store.flush();
            QVERIFY(!store.take(path, {}));
        }
    }

    void draftsOfADeadWindowOnly() {
        QTemporaryDir dir;
        const QString path = QStringLiteral("/somewhere/a.yaml");
        DraftStore store(dir.path());
        store.keep({path, {}, path, "mine", {}, QDateTime::currentDateTime()});
        store.flush();
        const QString own = QDir(dir.path()).entryInfoList({QStringLiteral("*.draft")}, QDir::Files).front().filePath();
        const auto parent = processStat(::getppid());
        QVERIFY(parent);
        const auto pretend = [&](qint64 pid, quint64 ticks) {
            QFile file(own);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QByteArray bytes = file.readAll();
            file.close();
            QVERIFY(QFile::remove(own));
            const auto mine = processStat(::getpid());
            bytes.replace("\"pid\":" + QByteArray::number(::getpid()), "\"pid\":" + QByteArray::number(pid));
            bytes.replace(QByteArray::number(static_cast<qulonglong>(mine->startTicks)), QByteArray::number(ticks));
            QFile other(QString(own).replace(QStringLiteral("-%1.").arg(::getpid()), QStringLiteral("-%1.").arg(pid)));
            QVERIFY(other.open(QIODevice::WriteOnly));
            other.write(bytes);
        };
        pretend(::getppid(), parent->startTicks); // a window that is still open
        QVERIFY(!store.take(path, {}));
        for (const QFileInfo& file : QDir(dir.path()).entryInfoList({QStringLiteral("*.draft")}, QDir::Files))
            QFile::rename(file.filePath(), own);
        QFile damaged(dir.filePath(QStringLiteral("zz-1.draft")));
        QVERIFY(damaged.open(QIODevice::WriteOnly));
        damaged.write("{\"path\": 5}\n");
        damaged.close();
        QFile file(own);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QByteArray bytes = file.readAll();
        bytes.replace("\"pid\":" + QByteArray::number(::getppid()), "\"pid\":1");
        file.resize(0);
        file.seek(0);
        file.write(bytes);
        file.close();
        QVERIFY(store.take(path, {})); // process 1 has another start time, so the draft's window is gone
        QVERIFY(!store.takeUntitled());
    }

    void valuesByType() {
        const auto kind = [](const char* key, const char* type, std::vector<std::string> choices = {}) {
            config::KeyRow row;
            row.key = key;
            row.type = type;
            row.choices = std::move(choices);
            return valueKind(row);
        };
        QCOMPARE(kind("trainer.sync_batchnorm", "bool"), ValueKind::Switch);
        QCOMPARE(kind("trainer.strategy", "string", {"auto", "ddp"}), ValueKind::Choice);
        QCOMPARE(kind("model.train_ds.batch_size", "int"), ValueKind::Number);
        QCOMPARE(kind("model.train_ds.manifest_filepath", "list"), ValueKind::Path);
        QCOMPARE(kind("exp_manager.exp_dir", "null"), ValueKind::Folder);
        QCOMPARE(kind("model.optim.betas", "list"), ValueKind::List);
        QCOMPARE(kind("name", "string"), ValueKind::Text);
        QCOMPARE(unitOf(QStringLiteral("rankscope.stall.min_seconds")), QStringLiteral("s"));
        QCOMPARE(unitOf(QStringLiteral("rankscope.ddp.bucket_cap_mb")), QStringLiteral("MB"));
        QCOMPARE(rangeOf(config::builtinSchema().key("rankscope.threads_per_rank")), QStringLiteral("0 … 4096"));
        QCOMPARE(rangeOf(config::builtinSchema().key("rankscope.stall.min_seconds")), QStringLiteral("> 0, ≤ 86400"));
        QCOMPARE(quotedPath(QStringLiteral("/a b/c.json")), QStringLiteral("/a b/c.json"));
        QCOMPARE(quotedPath(QStringLiteral("12")), QStringLiteral("\"12\""));
    }

    void whatIsTypedIsChecked() {
        config::KeyRow row;
        row.key = "rankscope.threads_per_rank";
        row.type = "int";
        row.spec = config::builtinSchema().key(row.key);
        QWidget parent;
        parent.resize(400, 200);
        ValueLine line(row, &parent);
        line.setText(QStringLiteral("8"));
        QVERIFY(line.problem().isEmpty());
        line.setText(QStringLiteral("5000"));
        QVERIFY(line.problem().contains(QStringLiteral("4096")));
        QVERIFY(line.canCommit()); // out of range, but it can be written to the file
        line.setText(QStringLiteral("[1, 2"));
        QVERIFY(!line.problem().isEmpty());
        QVERIFY(!line.canCommit());
        line.setText(QStringLiteral("${oc.env:N,4}"));
        QVERIFY(line.problem().isEmpty());
        line.setText(QStringLiteral("7"));
        QTest::keyClick(&line, Qt::Key_Up);
        QCOMPARE(line.text(), QStringLiteral("8"));
        line.setText(QStringLiteral("0"));
        QTest::keyClick(&line, Qt::Key_Down);
        QCOMPARE(line.text(), QStringLiteral("0")); // the lower end of the range
    }

    void listsItemByItem() {
        QCOMPARE(listItems(QStringLiteral("[0.9, 'a, b', null]")),
                 QStringList({QStringLiteral("0.9"), QStringLiteral("\"a, b\""), QStringLiteral("null")}));
        auto* editor =
            new ListEditor(QStringLiteral("model.optim.betas"), config::builtinSchema().key("model.optim.betas"),
                           QStringLiteral("[0.9, 0.98]"), nullptr);
        QSignalSpy accepted(editor, &ListEditor::accepted);
        QTest::keyClick(editor->findChild<QListWidget*>(), Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(editor->yaml(), QStringLiteral("[0.98, 0.9]"));
        editor->findChild<QListWidget*>()->item(0)->setText(QStringLiteral("0.95, 1"));
        editor->accept();
        QCOMPARE(accepted.count(), 0); // two items in one line
        editor->findChild<QListWidget*>()->item(0)->setText(QStringLiteral("0.95"));
        editor->accept();
        QCOMPARE(accepted.count(), 1);
        QCOMPARE(accepted.front().front().toString(), QStringLiteral("[0.95, 0.9]"));
    }
};

RANKSCOPE_GUI_TEST(Tools)
#include "tst_config_tools.moc"
