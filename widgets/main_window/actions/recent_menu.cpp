// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/actions/recent_menu.h"

#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/theme.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

namespace rankscope::ui {

void rememberRecent(QStringList& list, const QString& path) {
    list.removeAll(path);
    list.prepend(path);
    if (list.size() > RecentMenu::kMost)
        list.resize(RecentMenu::kMost);
}

RecentMenu::RecentMenu(QWidget* parent) : QMenu(parent) {
    setToolTipsVisible(true);
    connect(this, &QMenu::aboutToShow, this, &RecentMenu::look);
    rebuild();
}

void RecentMenu::setPaths(const QStringList& recipes, const QStringList& runs) {
    if (recipes == m_recipes && runs == m_runs)
        return;
    m_recipes = recipes;
    m_runs = runs;
    rebuild();
}

void RecentMenu::retranslate() {
    rebuild();
}

void RecentMenu::look() {
    const QStringList paths = m_recipes + m_runs;
    QPointer<RecentMenu> menu(this);
    QThreadPool::globalInstance()->start([menu, paths] {
        QSet<QString> gone;
        for (const QString& path : paths)
            if (!QFileInfo::exists(path))
                gone.insert(path);
        QMetaObject::invokeMethod(qApp, [menu, gone] {
            if (!menu || gone == menu->m_gone)
                return;
            menu->m_gone = gone;
            menu->rebuild();
        });
    });
}

void RecentMenu::addPath(const QString& path, bool isRun) {
    const QFileInfo file(path);
    const QString home = QDir::homePath() + QLatin1Char('/');
    QString folder = file.path();
    if (folder.startsWith(home))
        folder = QStringLiteral("~/") + folder.mid(home.size());
    QString text = QStringLiteral("%1   %2").arg(file.fileName(), folder);
    const bool gone = m_gone.contains(path);
    if (gone)
        text = tr("%1 (no longer there)").arg(text);
    QAction* action = addAction(text.replace(u'&', QStringLiteral("&&")));
    action->setData(path);
    action->setEnabled(!gone);
    action->setToolTip(plainToolTip(path));
    connect(action, &QAction::triggered, this,
            [this, path, isRun] { isRun ? emit runRequested(path) : emit recipeRequested(path); });
}

void RecentMenu::rebuild() {
    clear();
    setTitle(tr("Open recen&t"));
    setIcon(Theme::instance().icon(QStringLiteral("runs")));
    if (m_recipes.isEmpty() && m_runs.isEmpty()) {
        addAction(tr("Nothing has been opened yet"))->setEnabled(false);
        return;
    }
    if (!m_recipes.isEmpty())
        addSection(tr("Recipes"));
    for (const QString& path : std::as_const(m_recipes))
        addPath(path, false);
    if (!m_runs.isEmpty())
        addSection(tr("Runs"));
    for (const QString& path : std::as_const(m_runs))
        addPath(path, true);
    addSeparator();
    connect(addAction(tr("&Clear this list")), &QAction::triggered, this, &RecentMenu::clearRequested);
}

} // namespace rankscope::ui
