// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/recipe/evaluation.h"

#include <QFrame>

class QCompleter;
class QLabel;
class QLineEdit;
class QPushButton;
class QStringListModel;

namespace rankscope::ui {

/// Adds a key to a section. It offers all keys that NeMo accepts, also takes a full path, and shows where the key would
/// be written and what is wrong with it.
class AddKeyBar final : public QFrame {
    Q_OBJECT
public:
    explicit AddKeyBar(QWidget* parent = nullptr);
    /// Asks for a key of this section; "" is the top level.
    void ask(const QString& section, const Evaluation& evaluation);
    void retranslate();
    QString problem() const;
    QString target() const { return fullKey(); } ///< where the key would be written

signals:
    void addRequested(const QString& key, const QString& yaml);
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QString fullKey() const;
    void check();
    void showTarget();
    void add();
    void close();

    QString m_section;
    Evaluation m_evaluation;
    QLabel* m_where;
    QLineEdit* m_name;
    QLineEdit* m_value;
    QLabel* m_problem;
    QPushButton* m_add;
    QPushButton* m_cancel;
    QStringListModel* m_offered;
};

/// Returns the schema entry of a key; null: unknown.
const config::KeySpec* specOf(const QString& key, const Evaluation& evaluation);

} // namespace rankscope::ui
