// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/review/annotations/annotation_model.h"

#include <QWidget>

#include <optional>

class QLabel;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace rankscope::ui {

/// Lists what users wrote about steps, and the alerts that were sent: leads to them in the plots and in the timeline,
/// and requests changes of annotations. Without any, it says how to write one.
class AnnotationPane final : public QWidget {
    Q_OBJECT
public:
    explicit AnnotationPane(QWidget* parent = nullptr);

    void setExtras(const ExtrasView* extras); ///< null: not read yet
    void setCanUndo(bool on);
    void select(qint64 annotation); ///< does nothing if it is not in the list
    std::optional<AnnotationItem> current() const;
    QSize sizeHint() const override { return {800, 200}; }

signals:
    void plotsRequested(const rankscope::ui::AnnotationItem& item);
    void timelineRequested(const rankscope::ui::AnnotationItem& item);
    void editRequested(qint64 annotation);
    void removeRequested(qint64 annotation);
    void undoRequested();
    void selected(qint64 annotation); ///< 0: an alert, or none
    void closeRequested();

private:
    void build();
    void connectParts();
    void retranslate();
    void updateActions();

    AnnotationModel* m_model;
    QSortFilterProxyModel* m_sorted = nullptr;
    QTableView* m_table;
    QStackedWidget* m_stack;
    QLabel *m_title, *m_empty;
    QAction *m_toPlots, *m_toTimeline, *m_edit, *m_remove, *m_undo;
    QToolButton* m_close;
    bool m_read = false;
};

} // namespace rankscope::ui
