// SPDX-License-Identifier: GPL-3.0-or-later
// The utterances of the selected step, from a real manifest and recipe; and the text shown if they cannot be
// determined.
#include "core/base/files/atomic_file.h"
#include "core/config/effective/effective.h"
#include "tests/support/test_runner.h"
#include "tests/widgets/timeline/timeline_shown.h"
#include "widgets/timeline/panes/step_batch_pane.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableWidget>

using namespace rankscope;
using namespace rankscope::ui;
using test::SyntheticRun;

class TestBatchPane : public QObject, protected test::TimelineShown {
    Q_OBJECT
private slots:
    void init() {
        makeRun();
        m_manifest = QString::fromStdString((m_run->paths().dir / "train.json").string());
        writeManifest(QDateTime::currentDateTime().addDays(-1));
        writeRecipe(4);
        open(*m_run);
        m_below = m_page->findChild<QTabWidget*>();
        m_pane = m_page->findChild<BatchPane*>();
        m_list = m_pane->findChild<QTableWidget*>();
    }
    void cleanup() { close(); }

    /// By mouse: selects a span, the tab, a row and its path, then the same step of another rank.
    void theUtterancesOfASelectedStep() {
        QVERIFY(m_pane->said().startsWith(QStringLiteral("Select a span")));
        select(0, 4);
        m_below->setCurrentWidget(m_pane);
        QTRY_VERIFY2(m_pane->said().startsWith(QStringLiteral("Step 4 of epoch 0")), qPrintable(m_pane->said()));
        QVERIFY2(m_pane->said().contains(QStringLiteral("rank 0")) &&
                     m_pane->said().contains(QStringLiteral("Derived from the recipe and the seed")),
                 qPrintable(m_pane->said()));
        const auto expected = launch::batchOfStep(m_run->paths(), 4, 0);
        QVERIFY2(expected, expected ? "" : expected.error().message().c_str());
        QVERIFY(expected->utterances.size() >= 2);
        QCOMPARE(m_list->rowCount(), static_cast<int>(expected->utterances.size()));
        for (int row = 0; row < m_list->rowCount(); ++row)
            QCOMPARE(
                m_list->item(row, 1)->text() + m_list->item(row, 3)->text(),
                QString::fromStdString(expected->utterances[static_cast<std::size_t>(row)].file).section(u'/', -1) +
                    QStringLiteral("%1 s").arg(expected->utterances[static_cast<std::size_t>(row)].duration, 0, 'f',
                                               2));
        QTest::mouseClick(m_list->viewport(), Qt::LeftButton, {}, m_list->visualItemRect(m_list->item(1, 1)).center());
        QTest::mouseClick(m_pane->findChild<QPushButton*>(QStringLiteral("copyPath")), Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(), QString::fromStdString(expected->utterances[1].file));
        QSignalSpy opened(m_pane, &BatchPane::fileRequested);
        QTest::mouseClick(m_pane->findChild<QPushButton*>(QStringLiteral("openUtterance")), Qt::LeftButton);
        QCOMPARE(opened.size(), 1);
        QCOMPARE(opened.front().front().toString(), QString::fromStdString(expected->utterances[1].file));
        const QString first = m_list->item(0, 1)->text() + m_list->item(1, 1)->text();
        select(2, 4);
        m_below->setCurrentWidget(m_pane);
        QTRY_VERIFY(m_pane->said().contains(QStringLiteral("rank 2")));
        QVERIFY(m_list->item(0, 1)->text() + m_list->item(1, 1)->text() != first); // ranks have different utterances
    }

    /// For spans too short to be drawn, the longest one's step and batch are shown.
    void shortSpansTellTheirStepsBatch() {
        showSteps(0, 60);
        const int y = at(1, since(4), LanePart::Phases).y();
        for (int x = TimelineScene::kLabelWidth + 8; x < m_view->viewport()->width(); x += 3) {
            QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, QPoint(x, y));
            if (m_view->selected() && m_view->selected()->kind == TimelinePick::PickKind::Column &&
                m_view->selected()->span.step >= 0)
                break;
        }
        QVERIFY(m_view->selected() && m_view->selected()->kind == TimelinePick::PickKind::Column);
        m_below->setCurrentWidget(m_pane);
        QTRY_VERIFY2(m_pane->said().contains(QStringLiteral("tep %1 ").arg(m_view->selected()->span.step)),
                     qPrintable(m_pane->said()));
    }

    /// If the rank recorded another batch size, a note says so.
    void whatDiffersIsSaid() {
        writeRecipe(2);
        select(0, 4);
        m_below->setCurrentWidget(m_pane);
        QTRY_VERIFY2(m_pane->said().contains(QStringLiteral("Note: the rank trained on 4 utterances, not on 2")),
                     qPrintable(m_pane->said()));
        QCOMPARE(m_list->rowCount(), 2);
    }

    /// With another batch size the epochs differ: a batch that cannot be right is not shown.
    void aStepOfAnotherEpoch() {
        select(0, 40); // the store says epoch 0
        m_below->setCurrentWidget(m_pane);
        QTRY_VERIFY2(m_pane->said().contains(QStringLiteral("step 40 was in epoch 0")), qPrintable(m_pane->said()));
        QVERIFY(m_list->isHidden());
    }

    void aManifestThatWasWrittenSince() {
        writeManifest(QDateTime::currentDateTime());
        select(0, 4);
        m_below->setCurrentWidget(m_pane);
        QTRY_VERIFY2(m_pane->said().contains(QStringLiteral("written after the run began")),
                     qPrintable(m_pane->said()));
        QVERIFY(m_list->isHidden());
        QFile::remove(m_manifest);
        select(1, 3);
        m_below->setCurrentWidget(m_pane);
        QTRY_VERIFY2(m_pane->said().contains(QStringLiteral("no longer exists")), qPrintable(m_pane->said()));
    }

private:
    void writeManifest(const QDateTime& when) {
        QFile file(m_manifest);
        QVERIFY(file.open(QIODevice::WriteOnly));
        for (int i = 0; i < 90; ++i)
            file.write(QStringLiteral("{\"audio_filepath\": \"/audio/u%1.wav\", \"duration\": %2}\n")
                           .arg(i)
                           .arg(2 + 0.05 * i)
                           .toUtf8());
        file.flush();
        QVERIFY(file.setFileTime(when, QFileDevice::FileModificationTime));
    }
    void writeRecipe(int batchSize) {
        const auto effective = config::evaluateFile(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml",
                                                    {"model.train_ds.manifest_filepath=" + m_manifest.toStdString(),
                                                     "model.train_ds.batch_size=" + std::to_string(batchSize)});
        QVERIFY(effective);
        QVERIFY(writeFileAtomic(m_run->paths().effective(), effective->text, 0600));
    }
    void select(int rank, std::int64_t step) {
        showSteps(step - 2, step + 2);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, at(rank, since(step) + 20'000'000, LanePart::Phases));
        QVERIFY(m_view->selected().has_value());
        QCOMPARE(m_view->selected()->span.step, step);
    }

    QString m_manifest;
    QTabWidget* m_below = nullptr;
    BatchPane* m_pane = nullptr;
    QTableWidget* m_list = nullptr;
};

RANKSCOPE_GUI_TEST(TestBatchPane)
#include "tst_step_batch_pane.moc"
