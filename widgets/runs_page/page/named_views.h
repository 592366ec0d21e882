// SPDX-License-Identifier: GPL-3.0-or-later
// Named views of the Runs page: filter, columns, sorting and layout under a name.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QList>
#include <QString>
#include <QToolButton>

#include <functional>

class QUndoStack;

namespace rankscope::ui {

struct NamedView {
    QString name;
    QByteArray layout; ///< as RunsPage::saveView() returns
    friend bool operator==(const NamedView&, const NamedView&) = default;
};

/// The button that chooses, saves, renames and deletes views. All changes of the list can be undone. The default view
/// is not in the list, so it cannot be changed or deleted.
class NamedViews final : public QToolButton {
    Q_OBJECT
public:
    static constexpr qsizetype kMostViews = 100;

    /// `layout` returns the page's present layout.
    NamedViews(QUndoStack* undo, std::function<QByteArray()> layout, QWidget* parent = nullptr);

    const QList<NamedView>& views() const { return m_views; }
    const QString& current() const { return m_current; } ///< the chosen view's name; empty: the default view
    void choose(const QString& name);                    ///< empty: the default view
    /// Saves the present layout under a name, which replaces a view of the same name, and makes it the current one.
    void saveAs(const QString& name);
    void rename(const QString& name, const QString& now);
    void remove(const QString& name);
    QJsonObject saveState() const;
    void restoreState(const QJsonObject& state); ///< chooses nothing: the layout is restored separately

signals:
    void chosen(const QByteArray& layout); ///< empty: the default layout

private:
    friend class ViewsCommand;
    struct State {
        QList<NamedView> views;
        QString current;
    };
    void retranslate();
    void setState(const State& state);
    void change(const QString& text, const State& to);
    void fillMenu();
    void askName(bool renames);
    qsizetype indexOf(const QString& name) const;

    QUndoStack* m_undo;
    std::function<QByteArray()> m_layout;
    QList<NamedView> m_views; ///< sorted by name
    QString m_current;
};

} // namespace rankscope::ui
