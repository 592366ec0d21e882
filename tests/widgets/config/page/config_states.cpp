// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/config/page/config_states.h"

#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QTextDocument>
#include <QUndoStack>

namespace rankscope::ui {

void ConfigStatesBase::prepare() {
    qputenv("XDG_CONFIG_HOME", m_home.path().toLocal8Bit());
    qputenv("XDG_STATE_HOME", m_home.path().toLocal8Bit());
    qputenv("RANKSCOPECTL", qgetenv("RANKSCOPE_REAL_CTL"));
    m_shots = qEnvironmentVariable("RANKSCOPE_SHOTS");
    m_quickstart = QFileInfo(QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml")).absoluteFilePath();
}

void ConfigStatesBase::addLooks() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QSize>("size");
    const QList<QSize> sizes =
        m_shots.isEmpty() ? QList<QSize>{{1024, 640}} : QList<QSize>{{1024, 640}, {1440, 900}, {2560, 1440}};
    for (const char* language : {"en", "zh"})
        for (const char* theme : {"light", "dark"})
            for (const QSize& size : sizes)
                QTest::addRow("%s-%s-%d", language, theme, size.width())
                    << QString::fromLatin1(language) << QString::fromLatin1(theme) << size;
}

void ConfigStatesBase::openWindow() {
    QFETCH(QString, language);
    QFETCH(QString, theme);
    QFETCH(QSize, size);
    setLanguage(language);
    Theme::instance().apply(theme == QLatin1String("dark") ? Theme::Mode::Dark : Theme::Mode::Light);
    WindowOptions options;
    options.runsDir = qEnvironmentVariable("RANKSCOPE_SHOTS_RUNS", m_home.filePath(QStringLiteral("runs")));
    options.remember = false;
    QDir::setCurrent(QFileInfo(QFileInfo(m_quickstart).absolutePath()).absolutePath());
    m_window = std::make_unique<MainWindow>(options);
    m_window->resize(size);
    m_window->show();
    m_window->start();
    m_window->activateWindow();
    m_window->showPage(Page::Configure);
}

void ConfigStatesBase::openRecipe() {
    m_recipe = m_home.filePath(QStringLiteral("recipe.yaml"));
    QFile::remove(m_recipe);
    QVERIFY(QFile::copy(m_quickstart, m_recipe));
    QFile::setPermissions(m_recipe, QFile::ReadOwner | QFile::WriteOwner);
    m_window->openConfig(m_recipe);
    planned();
}

void ConfigStatesBase::planned() {
    QTRY_VERIFY(page()->isComplete());
    QTRY_VERIFY_WITH_TIMEOUT(!page()->dryRun()->isBusy(), 60000);
}

void ConfigStatesBase::edit(const char* key, const char* yaml) {
    emit page()->recipe()->model()->editRequested(QLatin1String(key), QString::fromUtf8(yaml));
}

void ConfigStatesBase::undoAll() {
    while (page()->file()->undoStack()->canUndo())
        page()->file()->undoStack()->undo();
}

static QString plainOf(const QLabel* label) {
    if (label->textFormat() != Qt::RichText && !Qt::mightBeRichText(label->text()))
        return label->text();
    QTextDocument document;
    document.setHtml(label->text());
    return document.toPlainText();
}

QString cutOff(const QWidget* window) {
    QStringList found;
    for (const QLabel* label : window->findChildren<QLabel*>()) {
        if (!label->isVisible() || label->text().isEmpty() || label->visibleRegion().isEmpty())
            continue;
        if (label->wordWrap()) {
            if (label->heightForWidth(label->width()) > label->height() + 1)
                found << QStringLiteral("too low: ") + plainOf(label);
            continue;
        }
        const QString text = plainOf(label);
        const QMargins margins = label->contentsMargins();
        const int room = label->width() - margins.left() - margins.right();
        for (const QString& line : text.split(QLatin1Char('\n')))
            if (label->fontMetrics().horizontalAdvance(line) > room + 1 && label->toolTip().isEmpty())
                found << QStringLiteral("cut off and no tool tip: ") + line;
    }
    for (const QAbstractButton* button : window->findChildren<QAbstractButton*>())
        if (button->isVisible() && !button->text().isEmpty() && button->sizeHint().width() > button->width() + 1)
            found << QStringLiteral("button too narrow: ") + button->text();
    return found.join(QLatin1Char('\n'));
}

/// Returns a picture of the window and everything above it: menus, lists, tool tips.
static QPixmap picture(QWidget* window) {
    QPixmap whole = window->grab();
    QPainter painter(&whole);
    for (QWidget* one : QApplication::topLevelWidgets())
        if (one != window && one->isVisible() && one->isWindow())
            painter.drawPixmap(one->pos() - window->pos(), one->grab());
    return whole;
}

void ConfigStatesBase::shot(const char* state) {
    QTest::qWait(30); // for queued events and delayed painting
    QFETCH(QSize, size);
    QCOMPARE(m_window->size(), size);
    const QString wrong = cutOff(m_window.get());
    if (!m_shots.isEmpty()) {
        QVERIFY(picture(m_window.get())
                    .save(QStringLiteral("%1/%2-%3.png")
                              .arg(m_shots, QString::fromLatin1(QTest::currentDataTag()), QLatin1String(state))));
        if (!wrong.isEmpty())
            qWarning("%s: %s", state, qPrintable(wrong));
        return;
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(QLatin1String(state) + QStringLiteral(": ") + wrong));
}

} // namespace rankscope::ui
