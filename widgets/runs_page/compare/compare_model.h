// SPDX-License-Identifier: GPL-3.0-or-later
// Settings or figures of runs side by side: one row for each, one column per run, the baseline first.
#pragma once

#include "widgets/runs_page/curves/run_names.h"
#include "widgets/runs_page/filter/figure_change.h"

#include <QAbstractTableModel>
#include <QColor>

#include <vector>

namespace rankscope::ui {

struct SettingLine {
    const std::string* key = nullptr;
    std::vector<const std::string*> values; ///< by run; null: the run lacks the key or effective.yaml
    bool differs = false;                   ///< among the runs that have an effective.yaml
};
/// Returns the settings sorted by key. A run without effective.yaml is ignored, so it makes no setting differ.
std::vector<SettingLine> settingLines(const QList<RunRow>& runs, bool onlyDiffering);

/// Returns the rows of the table of figures, from top to bottom.
const std::vector<FieldId>& comparedFigures();

class CompareModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class What { Settings, Figures };
    enum CompareRole {
        SameRole = Qt::UserRole + 1, ///< bool: equal to the baseline's
        ShareRole,                   ///< double, as changeOf() returns; none: there is no change to show
        ValueRole,                   ///< the value's text, without the change
        ChangeRole,                  ///< the change's text
        VerdictRole,                 ///< Verdict as int
        ColourRole,                  ///< of a run, in the header
        IdRole,                      ///< of a run, in the header
    };

    explicit CompareModel(What what, QObject* parent = nullptr) : QAbstractTableModel(parent), m_what(what) {}
    /// Sets the runs; the first is the baseline. Names and colours are by run.
    void setRuns(const QList<RunRow>& runs, const QList<RunName>& names, const QList<QColor>& colours);
    void setColours(const QList<QColor>& colours);
    void setOnlyDiffering(bool on);
    void setSearch(const QString& words); ///< searches the settings by key
    const QList<RunRow>& runs() const { return m_runs; }
    void retranslate();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    QString copied() const; ///< the whole table, tab-separated, with headings

private:
    struct CompareTableLine {
        QString title, hint;
        QList<Cell> cells;
        FieldId id = FieldId::Setting;
    };
    void rebuild();
    FigureChange change(const CompareTableLine& line, int run) const;
    bool same(const CompareTableLine& line, int run) const;
    bool isUnknown(int run) const;
    QString valueText(const CompareTableLine& line, int run) const;
    QString tipOf(const CompareTableLine& line, int run) const;

    What m_what;
    QList<RunRow> m_runs;
    QList<RunName> m_names;
    QList<QColor> m_colours;
    QList<CompareTableLine> m_lines;
    QString m_search;
    bool m_onlyDiffering = true;
};

} // namespace rankscope::ui
