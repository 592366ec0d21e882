// SPDX-License-Identifier: GPL-3.0-or-later
// The page that explains hung runs: its states, what is read again and what is not, the report as text and as a file,
// hostile logs, and what the window does with files that are dropped on it.
#include "tests/support/test_runner.h"
#include "widgets/controls/copy_line.h"
#include "widgets/controls/one_line_label.h"
#include "widgets/explain/explain_page.h"
#include "widgets/explain/recipe_choice.h"
#include "widgets/explain/report_view.h"
#include "widgets/main_window/exchange/dropped_files.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <sys/stat.h>

#include <memory>

using namespace rankscope::ui;
using State = ExplainPage::ExplainState;
using Use = DroppedFiles::DropUse;

class TestExplainPage : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        Theme::instance().apply(Theme::Mode::Light);
        QFile big(at("big.log")); // without blocks on the disk
        QVERIFY(big.open(QIODevice::WriteOnly) && big.resize(qint64(4) << 30));
    }
    void init() {
        setLanguage(QStringLiteral("en"));
        m_page = std::make_unique<ExplainPage>();
        m_page->resize(1000, 700);
        m_page->show();
    }
    void cleanup() {
        m_page.reset();
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("en"));
    }

    void anEmptyPageSaysWhatItIsFor() {
        QVERIFY(m_page->state() == State::Empty && m_page->title().isEmpty());
        QVERIFY(note().contains(QStringLiteral("drop")));
        QCOMPARE(m_page->findChild<CopyLine*>()->text(), QStringLiteral("rankscopectl explain LOGS"));
        QVERIFY(button("Choose logs…") && button("Choose a folder…"));
        QVERIFY(!button("Save as HTML…") && !button("Cancel"));
        m_page->open({});
        QVERIFY(m_page->state() == State::Empty && m_page->isComplete());
    }

    void aLogIsExplained() {
        explain(hang("rank_sleeps/joined.log"));
        QCOMPARE(m_page->title(), QStringLiteral("joined.log"));
        for (const char* part : {"Rank 1 never entered", "Causes, the most likely one first", "Do now", "Next time",
                                 "Missing in the input", "Files read", "seen", "follows"})
            QVERIFY2(shown().contains(QLatin1String(part)), part);
        QVERIFY(shown().contains(QStringLiteral("joined.log:26")));
        QVERIFY2(!shown().contains(QLatin1String(RANKSCOPE_SOURCE_DIR)), "the folder is on the user's own machine");
        QVERIFY(button("Copy as text")->isEnabled() && button("Save as HTML…")->isEnabled());
    }

    void filesAndFoldersAreChosen() {
        for (const bool folder : {false, true}) {
            button(folder ? "Choose a folder…" : "Choose logs…")->click();
            auto* dialog = m_page->findChild<QFileDialog*>(QStringLiteral("chooseLogs"));
            QVERIFY(dialog);
            QCOMPARE(dialog->fileMode(), folder ? QFileDialog::Directory : QFileDialog::ExistingFiles);
            const QString path = hang("extra_collective/dumps/end");
            emit dialog->filesSelected({path});
            delete dialog;
            QTRY_VERIFY(m_page->isComplete());
            QCOMPARE(m_page->request().paths, QStringList{path});
            QVERIFY2(shown().contains(QStringLiteral("log_metric")), qPrintable(shown()));
        }
    }

    void progressIsShownAndCancelled() {
        m_page->open({at("big.log")});
        QVERIFY(m_page->state() == State::Empty); // what is read quickly shows no progress
        QTRY_VERIFY(m_page->state() == State::Reading);
        QTRY_VERIFY(labels().filter(QRegularExpression(QStringLiteral("^Reading .+ of 4\\.29 GB$"))).size() == 1);
        QVERIFY(!button("Copy as text")->isEnabled());
        button("Cancel")->click();
        QVERIFY(m_page->state() == State::Empty && m_page->isComplete() && m_page->request().paths.isEmpty());
        explain(hang("rank_sleeps/joined.log")); // the thread is free again
    }

    void aCancelledReadingLeavesTheReport() {
        explain(hang("rank_sleeps/joined.log"));
        m_page->open({at("big.log")});
        QCOMPARE(m_page->title(), QStringLiteral("big.log"));
        QTRY_VERIFY(m_page->state() == State::Reading);
        button("Cancel")->click();
        QVERIFY(m_page->state() == State::Report);
        QCOMPARE(m_page->title(), QStringLiteral("joined.log"));
        QVERIFY(shown().contains(QStringLiteral("Rank 1 never entered")));
    }

    void anotherInputReplacesTheFirst() {
        m_page->open({at("big.log")});
        explain(hang("rank_sleeps/joined.log"));
        QCOMPARE(m_page->title(), QStringLiteral("joined.log"));
        QVERIFY(shown().contains(QStringLiteral("Rank 1 never entered")));
    }

    void aPageIsClosedWhileItReads() {
        m_page->open({at("big.log")});
        QTRY_VERIFY(m_page->state() == State::Reading);
        QElapsedTimer clock;
        clock.start();
        m_page.reset();
        QVERIFY2(clock.elapsed() < 3'000, qPrintable(QString::number(clock.elapsed())));
    }

    void theNumberOfRanksIsApplied() {
        explain(hang("rank_sleeps/joined.log"));
        auto* ranks = m_page->findChild<QSpinBox*>();
        QCOMPARE(ranks->text(), QStringLiteral("as the logs say"));
        QVERIFY(shown().contains(QStringLiteral("the number of ranks")));
        ranks->setValue(4);
        QTRY_VERIFY(m_page->isComplete());
        QVERIFY2(shown().contains(QStringLiteral("Ranks 1, 3 never entered")), qPrintable(shown()));
        QVERIFY(!shown().contains(QStringLiteral("the number of ranks")));
        explain(hang("rank_sleeps/detail")); // another run
        QCOMPARE(ranks->value(), 0);
    }

    void collectivesAreNamedByTheChosenRecipe() {
        const QString recipe = QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/nest_small.yaml");
        auto* choice = m_page->findChild<RecipeChoice*>();
        explain(hang("extra_collective/dumps/end"));
        QCOMPARE(choice->count(), 2); // the recipes that come with the program, and the entry that chooses one
        m_page->setOpenRecipe(recipe);
        QCOMPARE(choice->itemText(1), QStringLiteral("Open recipe: nest_small.yaml"));
        QCOMPARE(choice->currentIndex(), 0);
        emit choice->activated(1);
        QTRY_VERIFY(m_page->isComplete());
        QCOMPARE(m_page->request().recipe, recipe);
        QVERIFY2(m_page->state() == State::Report, qPrintable(note()));
        m_page->setOpenRecipe({}); // the report still has it
        QCOMPARE(choice->currentText(), QStringLiteral("nest_small.yaml"));
        emit choice->activated(choice->count() - 1);
        auto* dialog = m_page->findChild<QFileDialog*>();
        QVERIFY(dialog);
        emit dialog->fileSelected(at("none.yaml"));
        delete dialog;
        QTRY_VERIFY(m_page->state() == State::Failed);
        QVERIFY2(note().contains(QStringLiteral("none.yaml")), qPrintable(note()));
        emit choice->activated(0); // back to those that come with the program
        QTRY_VERIFY(m_page->state() == State::Report);
    }

    void whatCannotBeReadIsSaid() {
        const QString pipe = at("pipe");
        QCOMPARE(::mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
        for (const QString& path : {at("none.log"), pipe, QStringLiteral("/dev/zero")}) {
            m_page->open({path});
            QTRY_VERIFY(m_page->isComplete());
            QVERIFY(m_page->state() == State::Failed);
            QVERIFY2(note().contains(QFileInfo(path).fileName()) && note().contains(QStringLiteral("Choose")),
                     qPrintable(note()));
            QVERIFY(!button("Copy as text")->isEnabled());
        }
        explain(hang("rank_sleeps/joined.log"));
        QVERIFY(button("Copy as text")->isEnabled());
    }

    void theReportIsCopiedAndSaved() {
        explain(hang("rank_sleeps/joined.log"));
        QSignalSpy messages(m_page.get(), &ExplainPage::message);
        button("Copy as text")->click();
        const QString text = QApplication::clipboard()->text();
        QVERIFY2(text.startsWith(QStringLiteral("rank 1 never entered a collective")), qPrintable(text));
        QVERIFY(messages.isEmpty()); // the button says it
        button("Save as HTML…")->click();
        auto* dialog = m_page->findChild<QFileDialog*>(QStringLiteral("saveReport"));
        QVERIFY(dialog);
        const QString file = at("report.html");
        emit dialog->fileSelected(file);
        delete dialog;
        QTRY_COMPARE(messages.size(), 1);
        QCOMPARE(messages[0][0].toString(), QStringLiteral("Written: %1").arg(file));
        QFile saved(file);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        const QByteArray page = saved.readAll();
        QVERIFY(page.startsWith("<!DOCTYPE html>") && page.contains("Rank 1 never entered"));
        QVERIFY(!page.contains("setting:")); // those links work in the window only
        QCOMPARE(QFile::permissions(file) & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        m_page->saveTo(at("no folder/report.html"));
        QTRY_COMPARE(messages.size(), 2);
        QVERIFY2(messages[1][0].toString().contains(QStringLiteral("no folder")),
                 qPrintable(messages[1][0].toString()));
    }

    void aSettingLeadsToTheRecipe() {
        explain(QStringLiteral(RANKSCOPE_SOURCE_DIR "/tests/data/explain/logs/torchrun_table.log"));
        auto* view = m_page->findChild<ReportView*>();
        QVERIFY2(view->toHtml().contains(QStringLiteral("href=\"setting:0\"")), qPrintable(view->toHtml()));
        QSignalSpy asked(m_page.get(), &ExplainPage::settingRequested);
        emit view->anchorClicked(QUrl(QStringLiteral("setting:0")));
        emit view->anchorClicked(QUrl(QStringLiteral("setting:99")));
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked[0][0].toString(), QStringLiteral("model.train_ds.num_workers"));
        QCOMPARE(asked[0][1].toString(), QStringLiteral("2"));
        QVERIFY(!view->toPlainText().isEmpty()); // the link did not replace the report
    }

    void hostileTextIsText() {
        const QString path = at("<b>name&amp;.log");
        QFile log(path);
        QVERIFY(log.open(QIODevice::WriteOnly));
        log.write("[rank1]: Traceback (most recent call last):\n[rank1]:   File \"a.py\", line 1, in <module>\n"
                  "[rank1]: ValueError: <img src=\"http://127.0.0.1/x.png\"><script>alert(1)</script>"
                  "<a href=\"setting:0\">here</a> \x1b[31mred\x07\n");
        log.close();
        explain(path);
        for (const char* part :
             {"<img src=\"http://127.0.0.1/x.png\">", "<script>alert(1)</script>", "<a href=", "<b>name&amp;.log"})
            QVERIFY2(shown().contains(QLatin1String(part)), qPrintable(shown()));
        for (const QChar control : {QChar(0x1b), QChar(0x07)})
            QVERIFY(!shown().contains(control));
        const QString html = m_page->findChild<ReportView*>()->toHtml();
        for (const char* tag : {"<img", "<script", "<a href=\"setting:0\">here", "<b>name"})
            QVERIFY2(!html.contains(QLatin1String(tag)), tag);
        const auto* title = m_page->findChild<OneLineLabel*>();
        QCOMPARE(title->fullText(), QStringLiteral("<b>name&amp;.log"));
        QCOMPARE(title->textFormat(), Qt::PlainText);
    }

    void languageAndThemeActAtOnce() {
        explain(hang("rank_sleeps/joined.log"));
        setLanguage(QStringLiteral("zh"));
        QCoreApplication::processEvents();
        for (const char* part : {"rank 1", "读取的文件", "现在可做"})
            QVERIFY2(shown().contains(QString::fromUtf8(part)), qPrintable(shown()));
        QVERIFY(!shown().contains(QStringLiteral("never entered")));
        QVERIFY(button("复制为文本") && button("保存为 HTML…"));
        button("复制为文本")->click();
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("现在可做")));
        Theme::instance().apply(Theme::Mode::Dark);
        const QString dim = Theme::instance().palette().secondary.name();
        QVERIFY(m_page->findChild<ReportView*>()->toHtml().contains(dim));
        setLanguage(QStringLiteral("en"));
        QCoreApplication::processEvents();
        QVERIFY(shown().contains(QStringLiteral("never entered")));
    }

    void whatADropDoes() {
        for (const char* name : {"a.log", "b.txt", "r.yaml", "run/run.json", "run/run.sqlite", "logs/rank_0.log",
                                 "tb/events.out.tfevents.1", "exp/hparams.yaml"}) {
            QVERIFY(QDir().mkpath(QFileInfo(at(name)).path()));
            QFile file(at(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
        const auto use = [this](const QStringList& names) {
            QStringList paths;
            for (const QString& name : names)
                paths << at(name.toUtf8().constData());
            return DroppedFiles::of(paths).use;
        };
        QVERIFY(use({"r.yaml"}) == Use::OpenRecipe);
        QVERIFY(use({"run"}) == Use::OpenRun && use({"run/run.json"}) == Use::OpenRun);
        QCOMPARE(DroppedFiles::of(QStringList{at("run/run.sqlite")}).paths, QStringList{at("run")});
        QVERIFY(use({"tb"}) == Use::Import && use({"tb/events.out.tfevents.1"}) == Use::Import);
        QVERIFY(use({"exp"}) == Use::Import);
        QVERIFY(use({"a.log"}) == Use::Explain && use({"logs"}) == Use::Explain);
        QVERIFY(use({"a.log", "b.txt", "logs"}) == Use::Explain);
        QVERIFY(use({"a.log", "r.yaml"}) == Use::Nothing && use({"a.log", "run"}) == Use::Nothing);
        QVERIFY(use({}) == Use::Nothing);
        QMimeData far;
        far.setUrls({QUrl(QStringLiteral("https://example.org/a.log"))});
        QVERIFY(DroppedFiles::of(&far).use == Use::Nothing && DroppedFiles::of(&far).hint().isEmpty());
        QCOMPARE(DroppedFiles::of(QStringList{at("a.log")}).hint(), QStringLiteral("Drop to explain a.log"));
        QCOMPARE(DroppedFiles::of(QStringList{at("a.log"), at("b.txt")}).hint(),
                 QStringLiteral("Drop to explain these 2 files"));
        QCOMPARE(DroppedFiles::of(QStringList{at("r.yaml")}).hint(), QStringLiteral("Drop to open r.yaml"));
    }

private:
    QString at(const char* name) const { return m_dir.filePath(QString::fromUtf8(name)); }
    static QString hang(const char* name) {
        return QStringLiteral(RANKSCOPE_SOURCE_DIR "/tests/data/explain/hangs/2.11.0/") + QLatin1String(name);
    }
    /// Opens a log that can be explained, and waits for the report.
    void explain(const QString& path) {
        m_page->open({path});
        QTRY_VERIFY(m_page->isComplete());
        QVERIFY2(m_page->state() == State::Report, qPrintable(note()));
    }
    QString shown() const { return m_page->findChild<ReportView*>()->toPlainText(); }
    QString note() const { return m_page->findChild<QLabel*>(QStringLiteral("note"))->text(); }
    QStringList labels() const {
        QStringList texts;
        for (const auto* label : m_page->findChildren<QLabel*>())
            if (label->isVisible())
                texts << label->text();
        return texts;
    }
    /// Returns the visible button with this text; null: there is none.
    QPushButton* button(const char* text) const {
        for (auto* button : m_page->findChildren<QPushButton*>())
            if (button->isVisible() && button->text() == QString::fromUtf8(text))
                return button;
        return nullptr;
    }

    QTemporaryDir m_dir;
    std::unique_ptr<ExplainPage> m_page;
};

RANKSCOPE_GUI_TEST(TestExplainPage)
#include "tst_explain_page.moc"
