// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "widgets/controls/clamped_label.h"
#include "widgets/controls/rank_state_mark.h"
#include "widgets/runs/panel/run_delegate.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/geometry/timeline_colours.h"

#include <QApplication>
#include <QDirIterator>
#include <QHeaderView>
#include <QImage>
#include <QPainter>
#include <QSet>
#include <QStandardItemModel>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <utility>

using namespace rankscope;
using namespace rankscope::ui;
using diagnosis::RankState;

class ThemeTest : public QObject {
    Q_OBJECT

private slots:
    void textIsReadable_data() {
        QTest::addColumn<int>("mode");
        QTest::newRow("light") << static_cast<int>(Theme::Mode::Light);
        QTest::newRow("dark") << static_cast<int>(Theme::Mode::Dark);
    }
    void textIsReadable() {
        QFETCH(int, mode);
        Theme::instance().apply(static_cast<Theme::Mode>(mode));
        const Palette& p = Theme::instance().palette();
        const QColor selection = QApplication::palette().color(QPalette::Highlight);
        const QColor unfocused = QApplication::palette().color(QPalette::Inactive, QPalette::Highlight);
        const QList<QColor> plain{p.window, p.panel, p.raised, blend(p.panel, p.raised, 0.5)};
        QList<QColor> grounds = plain; // of text in the usual colour
        grounds << selection << unfocused << p.selectedRow() << p.tinted(p.incident) << p.tinted(p.dead)
                << p.tileHatch() << p.hatch() << p.searchHit() << blend(p.panel, p.dead, 0.14)
                << blend(p.panel, p.good, 0.16)                                              // changed lines
                << blend(p.raised, p.secondary, 0.12) << blend(p.raised, p.secondary, 0.3)   // buttons
                << blend(p.window, p.secondary, 0.12) << blend(p.window, p.secondary, 0.24); // tool buttons
        for (const QColor& kind : {p.dead, p.caution, p.secondary, p.accent})                // notices, drop hints
            grounds << blend(p.window, kind, 0.12);
        for (const QColor& ground : grounds)
            verifyReadable(p.text, ground, "text");
        for (const QColor& ground : plain + QList<QColor>{p.selectedRow(), p.tileHatch(), p.tinted(p.incident),
                                                          blend(p.window, p.secondary, 0.08)})
            verifyReadable(p.secondary, ground, "secondary");
        for (const QColor& ground : plain)
            for (const QColor& colour : {p.accent, p.incident, p.good, p.dead, p.caution, p.data})
                verifyReadable(colour, ground, "coloured");
        for (const QColor& colour : {p.good, p.dead, p.caution, p.secondary}) // figures and stars of selected runs
            verifyReadable(colour, p.selectedRow(), "selected row");
        for (const QColor& state : {p.incident, p.dead}) // tiles of the ranks that an incident is about
            verifyReadable(p.secondary, blend(p.raised, state, p.dark ? 0.12 : 0.08), "hovered tile");
        verifyReadable(p.accent, p.hoveredLink(), "chip");
        const QColor onAccent = p.dark ? p.window : p.panel;
        for (const QColor& ground : {p.accent, blend(p.accent, Qt::white, 0.12), blend(p.accent, Qt::black, 0.2)})
            verifyReadable(onAccent, ground, "primary button");
        verifyRoles(QApplication::palette());
        for (int rank = 0; rank < 8; ++rank) // lines
            QVERIFY2(contrast(Theme::instance().rankPen(rank).color(), p.panel) >= 2.0,
                     qPrintable(QString::number(rank)));
    }

    void textOnBarsAndCellsIsReadable_data() { textIsReadable_data(); }
    void textOnBarsAndCellsIsReadable() {
        QFETCH(int, mode);
        Theme::instance().apply(static_cast<Theme::Mode>(mode));
        const Palette& p = Theme::instance().palette();
        for (int grey = 0; grey < 256; ++grey) // the hardest grounds are in the middle
            verifyReadable(textOn(QColor(grey, grey, grey)), QColor(grey, grey, grey), "grey");
        for (const double nsInView : {0.0, kOverviewNs}) {
            const auto colours = TimelineColours::ofTheme(nsInView);
            for (const QColor& bar : colours.phases)
                verifyReadable(textOn(bar), bar, "phase");
            verifyReadable(textOn(colours.transfer), colours.transfer, "collective");
            for (const QColor& ground : {colours.waiting, colours.waitingHatch})
                verifyReadable(p.text, ground, "hatch");
        }
        for (int share = 0; share <= 100; ++share) {
            const QColor cell = p.waitShade(share / 100.0), ink = textOn(cell);
            verifyReadable(ink, cell, "cell");
            verifyReadable(ink, blend(cell, textOn(ink), 0.3), "hatch of a cell");
        }
    }

    void statesDifferInShapeNotOnlyInColour() {
        QList<QImage> marks;
        for (RankState state : {RankState::Starting, RankState::Computing, RankState::Waiting, RankState::Holder,
                                RankState::Stopped, RankState::Dead, RankState::Finished, RankState::Unknown}) {
            QImage image(16, 16, QImage::Format_ARGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            drawStateMark(painter, QRectF(0, 0, 16, 16), state, Qt::black);
            painter.end();
            for (const QImage& other : marks)
                QVERIFY(difference(image, other) > 15);
            marks << image;
        }
    }

    void noRoleHasTheColourOfARankOrOfAnotherRole() {
        for (const auto mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
            Theme::instance().apply(mode);
            const Palette& p = Theme::instance().palette();
            const QList<QColor> roles{p.accent, p.incident, p.data, p.good, p.dead, p.caution};
            for (qsizetype i = 0; i < roles.size(); ++i) {
                for (qsizetype k = i + 1; k < roles.size(); ++k)
                    QVERIFY2(apart(roles[i], roles[k]) > 20, qPrintable(roles[i].name() + u' ' + roles[k].name()));
                for (int rank = i == 0 ? 1 : 0; rank < 8; ++rank) // rank 0 is blue, too
                    QVERIFY2(apart(roles[i], Theme::instance().rankPen(rank).color()) > 20,
                             qPrintable(roles[i].name() + QStringLiteral(" rank %1").arg(rank)));
            }
        }
    }

    void aStoppedRankIsAnIncidentAndAStoppedRunIsNot() {
        Theme::instance().apply(Theme::Mode::Light);
        const Palette& p = Theme::instance().palette();
        QCOMPARE(stateColor(RankState::Stopped), p.incident);
        QImage image(16, 16, QImage::Format_ARGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        drawRunMark(painter, QRectF(0, 0, 16, 16), RankState::Stopped);
        painter.end();
        int grey = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                grey += image.pixelColor(x, y) == p.secondary;
                QVERIFY(apart(image.pixelColor(x, y), p.incident) > 60);
            }
        QVERIFY(grey > 10);
    }

    void incidentsAreRedOrangeCautionsAmberAndPausesNeutral() {
        const auto chroma = [](const QColor& c) {
            const auto [low, high] = std::minmax({c.red(), c.green(), c.blue()});
            return high - low;
        };
        for (const Palette& p : {lightPalette(), darkPalette()}) {
            QVERIFY2(p.incident.hue() >= 5 && p.incident.hue() <= 25, qPrintable(p.incident.name()));
            QVERIFY2(p.caution.hue() >= 35 && p.caution.hue() <= 50, qPrintable(p.caution.name()));
            for (const QColor& strong : {p.incident, p.caution})
                QVERIFY2(chroma(strong) > 100, qPrintable(strong.name()));
            QCOMPARE(p.incidentSign(false), p.incident);
            QVERIFY2(chroma(p.incidentSign(true)) < 30, qPrintable(p.incidentSign(true).name()));
            QVERIFY(contrast(p.incidentSign(true), p.panel) >= 3); // as WCAG 2 asks of signs
        }
    }

    void firstEightRanksHaveOwnColoursThenDashes() {
        Theme::instance().apply(Theme::Mode::Light);
        QSet<QRgb> colours;
        for (int rank = 0; rank < 8; ++rank)
            colours.insert(Theme::instance().rankPen(rank).color().rgb());
        QCOMPARE(colours.size(), 8);
        QVERIFY(Theme::instance().rankPen(4).style() == Qt::SolidLine);
        QVERIFY(Theme::instance().rankPen(5).style() == Qt::CustomDashLine);
        QVERIFY(Theme::instance().rankPen(8).style() == Qt::CustomDashLine); // distinct from rank 0
    }

    /// A run's name is the largest text; captions and paths are the smallest.
    void textsDifferInSizeAndWeight() {
        QVERIFY(titleFont().pointSizeF() > bodyFont().pointSizeF());
        QVERIFY(bodyFont().pointSizeF() > secondaryFont().pointSizeF());
        for (const QFont& strong : {titleFont(), headingFont()})
            QVERIFY(strong.weight() > bodyFont().weight());
    }
    void iconsFollowTheTheme() {
        int icons = 0;
        for (QDirIterator it(QStringLiteral(":/icons")); it.hasNext(); ++icons) {
            const QString name = QFileInfo(it.next()).completeBaseName();
            if (name == QLatin1String("rankscope"))
                continue;
            Theme::instance().apply(Theme::Mode::Light);
            const QIcon icon = Theme::instance().icon(name);
            const QImage light = icon.pixmap(32, 32).toImage();
            Theme::instance().apply(Theme::Mode::Dark);
            const QImage dark = icon.pixmap(32, 32).toImage();
            QVERIFY2(!light.isNull() && light != dark, qPrintable(name));
        }
        QVERIFY(icons > 20);
    }

    /// Names of files and collectives are not broken at their hyphens, however wide the label is.
    void theArrowOfASortedColumnSaysItsOrder() {
        Theme::instance().apply(Theme::Mode::Light);
        QHeaderView header(Qt::Horizontal);
        QStandardItemModel model(1, 1);
        model.setHorizontalHeaderLabels({QString()});
        header.setModel(&model);
        header.setSortIndicatorShown(true);
        header.resize(120, 24);
        const auto widthOfInk = [](const QImage& image, int y) { // 0: nothing was drawn
            int first = -1, last = -2;
            for (int x = 2; x < image.width() - 4; ++x)
                if (apart(image.pixelColor(x, y), Theme::instance().palette().window) > 60) {
                    first = first < 0 ? x : first;
                    last = x;
                }
            return last - first + 1;
        };
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            header.setSortIndicator(0, order);
            const QImage image = header.grab().toImage();
            int top = 2, bottom = image.height() - 4;
            while (top < bottom && widthOfInk(image, top) < 1)
                ++top;
            while (bottom > top && widthOfInk(image, bottom) < 1)
                --bottom;
            QVERIFY2(bottom > top, "no arrow");
            const bool up = widthOfInk(image, top) < widthOfInk(image, bottom); // its point is on top
            QCOMPARE(up, order == Qt::AscendingOrder);
        }
    }
    void aSentenceBreaksAtSpaces() {
        const QString sentence =
            QStringLiteral("Rank 1 is reading audio/29-pt-m1.wav. Rank 0 waits in all-reduce 551.");
        ClampedLabel label(20);
        label.show();
        const QFontMetrics metrics = label.fontMetrics();
        const int word = metrics.horizontalAdvance(QStringLiteral("audio/29-pt-m1.wav.")) + 2;
        for (int width = word; width < metrics.horizontalAdvance(sentence); width += 3) {
            label.resize(width, 400);
            label.setText(sentence);
            QVERIFY(label.lines().size() > 1);
            QCOMPARE(label.lines().join(u' '), sentence);
        }
    }

private:
    static void verifyReadable(const QColor& text, const QColor& ground, const char* what) {
        QVERIFY2(contrast(text, ground) >= 4.5, qPrintable(QStringLiteral("%1: %2 on %3 has %4")
                                                               .arg(QLatin1String(what), text.name(), ground.name())
                                                               .arg(contrast(text, ground))));
    }
    /// Checks the pairs that Qt's own widgets and delegates use; disabled text may be fainter, but not too faint.
    static void verifyRoles(const QPalette& q) {
        using Role = QPalette::ColorRole;
        const std::pair<Role, Role> pairs[] = {
            {Role::WindowText, Role::Window},
            {Role::Text, Role::Base},
            {Role::Text, Role::AlternateBase},
            {Role::HighlightedText, Role::Highlight},
            {Role::ButtonText, Role::Button},
            {Role::ToolTipText, Role::ToolTipBase},
            {Role::PlaceholderText, Role::Base},
            {Role::PlaceholderText, Role::Window},
            {Role::PlaceholderText, Role::Button},
            {Role::Link, Role::Window},
            {Role::Link, Role::Base},
            {Role::LinkVisited, Role::Base},
            {Role::BrightText, Role::Window},
            {Role::BrightText, Role::Button},
        };
        for (const auto group : {QPalette::Active, QPalette::Inactive})
            for (const auto& [text, ground] : pairs)
                verifyReadable(q.color(group, text), q.color(group, ground), "role");
        for (const auto text : {Role::WindowText, Role::Text, Role::ButtonText})
            for (const auto ground : {Role::Window, Role::Base, Role::Button})
                QVERIFY(contrast(q.color(QPalette::Disabled, text), q.color(QPalette::Disabled, ground)) >= 3);
    }
    static double apart(const QColor& a, const QColor& b) {
        return std::hypot(a.red() - b.red(), a.green() - b.green(), a.blue() - b.blue());
    }
    static int difference(const QImage& a, const QImage& b) {
        int pixels = 0;
        for (int y = 0; y < a.height(); ++y)
            for (int x = 0; x < a.width(); ++x)
                pixels += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y))) > 96 ? 1 : 0;
        return pixels;
    }
};

RANKSCOPE_GUI_TEST(ThemeTest)
#include "tst_theme.moc"
