// SPDX-License-Identifier: GPL-3.0-or-later
// Export and import in the window with the real rankscopectl: what is written, cancelling, and errors.
#include "core/store/read/run_reader.h"
#include "tests/support/test_runner.h"
#include "tests/widgets/synthetic_run.h"
#include "widgets/main_window/exchange/export_panel.h"
#include "widgets/main_window/exchange/import_panel.h"
#include "widgets/theme/theme.h"

#include <QComboBox>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::RankStep;
using test::SyntheticRun;

static QString said(const ExchangePanel& panel) {
    return panel.findChild<QLabel*>(QStringLiteral("exchangeStatus"))->text();
}

static void choose(const ExportPanel& panel, const char* box, int entry) {
    panel.findChild<QComboBox*>(QLatin1String(box))->setCurrentIndex(entry);
}

class TestExchangePanels : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    std::unique_ptr<SyntheticRun> m_run;

    QString runDir() const { return QString::fromStdString(m_run->paths().dir.string()); }
    QString at(const char* name) const { return m_dir.filePath(QString::fromLatin1(name)); }
    /// Returns the names in a folder, including hidden ones.
    static QStringList names(const QString& dir) {
        return QDir(dir).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
    }
    static bool ended(const ExchangePanel& panel) {
        return QTest::qWaitFor([&] { return !panel.isBusy(); }, 60'000);
    }
    static QByteArray read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    std::unique_ptr<ExportPanel> panel(ExportPanel::Steps seen = {}) const {
        auto made = std::make_unique<ExportPanel>([](const QString&) { return QString(); }, nullptr);
        made->setRun(runDir(), QStringLiteral("synthetic"), seen);
        return made;
    }

private slots:
    void initTestCase() {
        qputenv("RANKSCOPECTL", RANKSCOPE_BIN_DIR "/rankscopectl");
        m_run = std::make_unique<SyntheticRun>(2, RunState::Running, 200);
        m_run->addSteps(200, [](int, std::int64_t step) { return RankStep{9.0 - 0.01 * static_cast<double>(step)}; });
        m_run->addEnds(telemetry::EndCause::Finished);
        m_run->finishStore();
        m_run->setState(RunState::Finished);
    }

    void writesEachFormat() {
        const auto export_ = [&](ExportPanel::Format format, const char* name) {
            auto p = panel();
            choose(*p, "exportFormat", format);
            p->setTarget(at(name));
            p->begin();
            QVERIFY(p->isBusy());
            QVERIFY(ended(*p));
            QVERIFY2(said(*p).contains(at(name)), qPrintable(said(*p)));
        };
        export_(ExportPanel::Html, "report.html");
        const QString report = QString::fromUtf8(read(at("report.html")));
        QVERIFY(report.contains(QStringLiteral("</html>")));
        for (const auto mode : {Theme::Mode::Dark, Theme::Mode::Light}) {
            Theme::instance().apply(mode);
            for (int rank = 0; rank < 7; ++rank) { // the eighth has the colour of text
                const QString colour = Theme::instance().rankPen(rank).color().name();
                QVERIFY2(report.contains(QStringLiteral("--c%1:%2").arg(rank).arg(colour)), qPrintable(colour));
            }
        }
        export_(ExportPanel::Trace, "timeline.json");
        QVERIFY(QJsonDocument::fromJson(read(at("timeline.json"))).isObject());
        export_(ExportPanel::Csv, "tables");
        QCOMPARE(read(at("tables/steps.csv")).count('\n'), 401);
        export_(ExportPanel::TensorBoard, "events");
        QCOMPARE(names(at("events")), (QStringList{"rank_0", "rank_1"}));
        QCOMPARE(names(m_dir.path()), (QStringList{"events", "report.html", "tables", "timeline.json"}));
        export_(ExportPanel::Csv, "tables"); // again: the folder is replaced
        QCOMPARE(read(at("tables/steps.csv")).count('\n'), 401);
        QCOMPARE(names(m_dir.path()).size(), 4);
    }

    void theListSaysWhatEachFormatIsFor() {
        const auto p = panel();
        const auto* formats = p->findChild<QComboBox*>(QStringLiteral("exportFormat"));
        const QStringList uses{"for spreadsheets and scripts", "for TensorBoard", "in Perfetto", "to read or to send",
                               "for slides and papers"};
        QCOMPARE(formats->count(), static_cast<int>(uses.size()));
        for (int i = 0; i < formats->count(); ++i)
            QVERIFY2(formats->itemText(i).endsWith(uses[i]), qPrintable(formats->itemText(i)));
    }

    /// Nothing moves once the export is done, and what was said of it is not said of another format.
    void everythingKeepsItsPlace() {
        auto p = panel();
        p->show();
        QVERIFY(QTest::qWaitForWindowActive(p.get()));
        QTRY_VERIFY(p->findChild<QComboBox*>(QStringLiteral("exportFormat"))->hasFocus());
        p->setTarget(at("placed.html"));
        const auto places = [&] {
            QList<QRect> all;
            for (const auto* button : p->findChildren<QPushButton*>())
                if (button->text() != QLatin1String("Show in folder"))
                    all << button->geometry();
            return all;
        };
        QCoreApplication::processEvents(); // lays out
        const QList<QRect> before = places();
        p->begin();
        QVERIFY(ended(*p));
        QCoreApplication::processEvents();
        QCOMPARE(places(), before);
        QVERIFY(said(*p).contains(at("placed.html")));
        choose(*p, "exportFormat", ExportPanel::Csv);
        QCOMPARE(said(*p), QString());
        for (const auto* button : p->findChildren<QPushButton*>())
            QVERIFY(button->text() != QLatin1String("Show in folder") || !button->isVisible());
        QVERIFY(QFile::remove(at("placed.html")));
    }

    void writesWhatIsSeen() {
        auto p = panel(std::pair<qint64, qint64>(50, 59));
        choose(*p, "exportFormat", ExportPanel::Csv);
        choose(*p, "exportRange", 1);
        p->setTarget(at("seen"));
        p->begin();
        QVERIFY(ended(*p));
        QCOMPARE(read(at("seen/steps.csv")).count('\n'), 21);
    }

    void saysWhatToDo() {
        auto p = panel();
        choose(*p, "exportFormat", ExportPanel::Html);
        p->setTarget(at("nowhere/report.html"));
        p->begin();
        QVERIFY(!p->isBusy());
        QVERIFY2(said(*p).contains(at("nowhere")), qPrintable(said(*p)));
        p->setTarget(m_dir.path());
        p->begin();
        QVERIFY(!p->isBusy() && said(*p).contains(m_dir.path()));
        // a run that no longer exists
        p->setRun(at("no-such-run"), QStringLiteral("gone"), {});
        p->setTarget(at("gone.html"));
        p->begin();
        QVERIFY(ended(*p));
        QVERIFY2(said(*p).contains(QStringLiteral("no-such-run")), qPrintable(said(*p)));
        QVERIFY(!QFile::exists(at("gone.html")));
        // a file is where a folder is needed: it must stay unchanged
        QFile file(at("taken"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("mine") == 4);
        file.close();
        p = panel();
        choose(*p, "exportFormat", ExportPanel::Csv);
        p->setTarget(at("taken"));
        p->begin();
        QVERIFY(ended(*p));
        QVERIFY(said(*p).contains(QStringLiteral("taken")));
        QCOMPARE(read(at("taken")), QByteArray("mine"));
        for (const QString& name : names(m_dir.path()))
            QVERIFY2(!name.contains(QStringLiteral(".part-")), qPrintable(name));
        qputenv("RANKSCOPECTL", "/nowhere/rankscopectl");
        p->setTarget(at("never"));
        p->begin();
        QVERIFY(QTest::qWaitFor([&] { return said(*p).contains(QStringLiteral("/nowhere/rankscopectl")); }, 5000));
        QVERIFY(!p->isBusy());
        qputenv("RANKSCOPECTL", RANKSCOPE_BIN_DIR "/rankscopectl");
    }

    /// If it is cancelled while writing, neither the target nor a temporary file is left.
    void calledOffLeavesNothing() {
        const QStringList before = names(m_dir.path());
        QFile script(m_dir.filePath(QStringLiteral(".slow.sh"))); // writes half of the file, then hangs
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\nmkdir \"$6\"; echo half > \"$6/steps.csv\"; exec sleep 600\n");
        script.close();
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        qputenv("RANKSCOPECTL", script.fileName().toUtf8());
        auto p = panel();
        choose(*p, "exportFormat", ExportPanel::Csv);
        p->setTarget(at("half"));
        p->begin();
        const auto drafts = [&] {
            return QDir(m_dir.path()).entryList({QStringLiteral(".half.part-*")}, QDir::Dirs | QDir::Hidden);
        };
        QVERIFY(QTest::qWaitFor([&] { return !drafts().isEmpty(); }, 10'000));
        p->close();
        QVERIFY(ended(*p));
        qputenv("RANKSCOPECTL", RANKSCOPE_BIN_DIR "/rankscopectl");
        QVERIFY(drafts().isEmpty() && !QFile::exists(at("half")));
        QVERIFY(script.remove());
        QCOMPARE(names(m_dir.path()), before);
    }

    void importsWhatWasExported() {
        const QString runs = at("runs");
        ImportPanel importing(runs, nullptr);
        QSignalSpy imported(&importing, &ImportPanel::imported);
        QVERIFY(ImportPanel::isSource(at("events")));
        QVERIFY(!ImportPanel::isSource(runDir()) && !ImportPanel::isSource(at("report.html")) &&
                !ImportPanel::isSource(at("tables")));
        importing.setSource(at("events"));
        importing.begin();
        QVERIFY(ended(importing));
        QVERIFY2(imported.size() == 1, qPrintable(said(importing)));
        const QString dir = imported.first().first().toString();
        QCOMPARE(names(runs), QStringList{QFileInfo(dir).fileName()}); // no temporary folder is left
        const QJsonObject info = QJsonDocument::fromJson(read(dir + "/run.json")).object();
        QCOMPARE(info["state"].toString(), QStringLiteral("imported"));
        auto reader = store::RunReader::open(std::filesystem::path(dir.toStdString()) / "run.sqlite");
        QVERIFY(reader);
        QCOMPARE(reader->series(store::Metric::Loss, 1, 0, 1000, 1000)->size(), std::size_t{200});

        // after the import Enter closes the panel and does not import again
        importing.begin();
        QVERIFY(!importing.isBusy());
        QCOMPARE(imported.size(), 1);
        const auto standard = [&] {
            for (auto* button : importing.findChildren<QPushButton*>())
                if (button->isDefault())
                    return button->text();
            return QString();
        };
        QCOMPARE(standard(), QStringLiteral("Close"));

        importing.setSource(at("tables")); // contains no event files
        QCOMPARE(standard(), QStringLiteral("Import"));
        importing.begin();
        QVERIFY(ended(importing));
        QVERIFY2(said(importing).contains(QStringLiteral("tables")), qPrintable(said(importing)));
        QCOMPARE(imported.size(), 1);
        QCOMPARE(names(runs).size(), 1);
        importing.setSource(at("not there"));
        importing.begin();
        QVERIFY(!importing.isBusy() && said(importing).contains(QStringLiteral("not there")));
    }

    void whatIsTypedIntoTheImportStays() {
        ImportPanel importing(at("runs2"), nullptr);
        importing.show();
        importing.reopen();
        QVERIFY(QTest::qWaitForWindowActive(&importing));
        auto* from = importing.findChildren<QLineEdit*>().first();
        QTRY_VERIFY(from->hasFocus());
        QTest::keyClicks(from, at("events"));
        QTest::keyClick(from, Qt::Key_Tab);
        importing.reopen(); // opened again from the menu
        QCOMPARE(from->text(), at("events"));
        QVERIFY(from->hasFocus());
        QTest::keyClick(from, Qt::Key_Return);
        QVERIFY(importing.isBusy());
        QVERIFY(ended(importing));
        QVERIFY(!importing.isBusy());
        QTest::qWait(50);
        for (auto* line : importing.findChildren<QLineEdit*>()) // the result does not squeeze the form
            QVERIFY2(line->height() >= line->sizeHint().height(), qPrintable(QString::number(line->height())));
        for (auto* label : importing.findChildren<QLabel*>())
            QVERIFY2(!label->isVisible() || !label->wordWrap() ||
                         label->height() >= label->heightForWidth(label->width()),
                     qPrintable(label->text()));
        QCOMPARE(names(at("runs2")).size(), 1);
        QTest::keyClick(&importing, Qt::Key_Return);
        QVERIFY(!importing.isVisible()); // Enter pressed Close
        QCOMPARE(names(at("runs2")).size(), 1);
        importing.show();
        importing.reopen();
        QCOMPARE(from->text(), QString()); // empty, for the next import
    }
};

RANKSCOPE_GUI_TEST(TestExchangePanels)
#include "tst_exchange_panels.moc"
