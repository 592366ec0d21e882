// SPDX-License-Identifier: GPL-3.0-or-later
// Settings or figures of runs side by side: a line each, a column a run, the baseline first.
#pragma once

#include "widgets/runs_page/curves/compare_data.h"

#include <QAbstractTableModel>
#include <QColor>

namespace rankscope::ui {

class CompareModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class What { Settings, Figures };
    enum Role {
        SameRole = Qt::UserRole + 1, ///< bool: as the baseline has it
        RatioRole,                   ///< double; none: no ratio
        ColourRole,                  ///< of a run, in the header
        IdRole,                      ///< of a run, in the header
    };

    explicit CompareModel(What what, QObject* parent = nullptr) : QAbstractTableModel(parent), m_what(what) {}
    /// The first is the baseline.
    void setRuns(const QList<RunRow>& runs, const QList<QColor>& colours);
    void setOnlyDiffering(bool on);
    void setSearch(const QString& words); ///< of the settings, by key
    const QList<RunRow>& runs() const { return m_runs; }
    void retranslate();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    QString copied() const; ///< all of it, tab-separated, with headings

private:
    struct Line {
        QString title, hint;
        QList<Cell> cells;
        FieldId id = FieldId::Setting;
    };
    void rebuild();
    static QString judged(double ratio, FieldId id);
    bool same(const Line& line, int run) const;

    What m_what;
    QList<RunRow> m_runs;
    QStringList m_names; ///< that tell them apart
    QList<QColor> m_colours;
    QList<Line> m_lines;
    QString m_search;
    bool m_onlyDiffering = true;
};

} // namespace rankscope::ui
