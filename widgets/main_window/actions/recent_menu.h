// SPDX-License-Identifier: GPL-3.0-or-later
// The menu of recently opened files and runs. Missing ones are grey and say so; they are checked outside the window's
// thread, because a folder on a server that does not respond would block it.
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

/// Moves or adds `path` to the front of `list`, without duplicates, and keeps the list short.
void rememberRecent(QStringList& list, const QString& path);

} // namespace rankscope::ui
