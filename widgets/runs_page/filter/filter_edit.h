// SPDX-License-Identifier: GPL-3.0-or-later
// Where the filter is typed: names and values are completed, what is wrong is underlined and said below.
#pragma once

#include "widgets/runs_page/filter/run_query.h"

#include <QWidget>

#include <functional>

class QCompleter;
class QLabel;
class QLineEdit;
class QStringListModel;

namespace rankscope::ui {

class FilterEdit final : public QWidget {
    Q_OBJECT
public:
    explicit FilterEdit(QWidget* parent = nullptr);

    /// What completes: names and, behind a comparison, values of its field.
    void setNames(std::function<QStringList()> names, std::function<QStringList(const RunField&)> values);
    void setSettings(std::function<const QSet<QString>&()> settings) { m_settings = std::move(settings); }
    QString text() const;
    void setText(const QString& text);
    QLineEdit* line() const { return m_line; }
    /// More settings are known: what was wrong may be right.
    void check();

signals:
    void queryChanged(const rankscope::ui::RunQuery& query); ///< while what is typed makes none, the last one holds

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void retranslate();
    void read();
    std::variant<RunQuery, QueryError> parsed(const QString& text) const;
    void complete(bool asked);
    void insert(const QString& word);
    void underline();

    QLineEdit* m_line;
    QLabel* m_message;
    QCompleter* m_completer;
    QStringListModel* m_words;
    std::function<QStringList()> m_names;
    std::function<QStringList(const RunField&)> m_values;
    std::function<const QSet<QString>&()> m_settings;
    std::optional<QueryError> m_error;
    QString m_valid;      ///< the text that the runs are filtered by
    QString m_beforeWord; ///< what they were filtered by before its last word was begun
    bool m_setting = false;
};

} // namespace rankscope::ui
