// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/effective/effective.h"

#include <QFrame>

class QLabel;
class QListWidget;
class QPushButton;
class QToolButton;

namespace rankscope::ui {

/// A popup that edits a list item by item. Each item is checked while the user types.
class ListEditor final : public QFrame {
    Q_OBJECT
public:
    /// Creates the popup, which deletes itself when it closes. `yaml`: the list as one line.
    ListEditor(const QString& key, const config::KeySpec* spec, const QString& yaml, QWidget* parent);
    QString yaml() const; ///< as one line: [a, b]
    void accept();

signals:
    void accepted(const QString& yaml);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    bool takeKey(const QKeyEvent* event);
    void build(const QString& key);
    void addItem(const QString& text, bool edit);
    void moveBy(int rows);
    void check();

    const config::KeySpec* m_spec;
    QListWidget* m_list;
    QLabel* m_problem;
    QPushButton* m_done;
};

/// Returns the items of a list as single lines of YAML; a value that is not a list is one item.
QStringList listItems(const QString& yaml);

} // namespace rankscope::ui
