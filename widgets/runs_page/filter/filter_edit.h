// SPDX-License-Identifier: GPL-3.0-or-later
// The line edit for the filter: it completes names and values, underlines errors and explains them below.
#pragma once

#include "widgets/runs_page/filter/query_parser.h"

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

    /// Sets the functions that return completions: names and, after a comparison operator, the values of its field.
    void setNames(std::function<QStringList()> names, std::function<QStringList(const RunField&)> values);
    void setSettings(std::function<const QSet<QString>&()> settings) { m_settings = std::move(settings); }
    QString text() const;
    void setText(const QString& text);
    QLineEdit* line() const { return m_line; }
    /// Parses the text again after more settings are known, because an error may have become valid.
    void check();

signals:
    /// while the text is not valid, the last one stays in force
    void queryChanged(const rankscope::ui::RunQuery& query);

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
    QString m_beforeWord; ///< the filter before its last word was begun
    bool m_setting = false;
};

} // namespace rankscope::ui
