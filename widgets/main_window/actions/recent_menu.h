// SPDX-License-Identifier: GPL-3.0-or-later
// What was opened last. What is gone by now is grey and says so; it is looked for beside the window's thread, because a
// folder of a server that does not answer would hold it up.
#pragma once

#include <QMenu>
#include <QSet>
#include <QStringList>

namespace rankscope::ui {

class RecentMenu final : public QMenu {
    Q_OBJECT
public:
    static constexpr int kMost = 8; ///< of each kind
    explicit RecentMenu(QWidget* parent = nullptr);
    void setPaths(const QStringList& recipes, const QStringList& runs); ///< the newest first
    void retranslate();

signals:
    void recipeRequested(const QString& path);
    void runRequested(const QString& dir);
    void clearRequested();

private:
    void rebuild();
    void look();
    void addPath(const QString& path, bool isRun);

    QStringList m_recipes, m_runs;
    QSet<QString> m_gone;
};

/// `path` comes first in `list`, once, and the list stays short.
void rememberRecent(QStringList& list, const QString& path);

} // namespace rankscope::ui
