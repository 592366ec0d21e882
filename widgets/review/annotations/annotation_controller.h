// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/run/plot_extras_loader.h"

#include <QObject>

#include <deque>
#include <optional>

class QUndoStack;

namespace rankscope::ui {

class AnnotationBar;
class AnnotationPane;
struct AnnotationItem;

/// Edits the annotations of a run in a bar, lists them in a pane, and can undo and redo the changes.
class AnnotationController final : public QObject {
    Q_OBJECT
public:
    /// The parent owns bar, pane and extras.
    AnnotationController(AnnotationBar* bar, AnnotationPane* pane, PlotExtras* extras, QObject* parent);

    void clear(); ///< call it before another run is shown
    void edit(qint64 id);
    void remove(qint64 id);
    void select(qint64 id); ///< in the pane
    bool canUndo() const;
    void undo();
    QUndoStack* undoStack() const { return m_undo; }

signals:
    void message(const QString& text);
    void failed(const QString& problem);               ///< a change was refused, and the bar does not show why
    void read(const rankscope::ui::ExtrasPtr& extras); ///< the annotations have been read; null: there is no run
    void selected(qint64 id);                          ///< in the pane; 0: none
    void plotsRequested(const rankscope::ui::AnnotationItem& item);
    void timelineRequested(const rankscope::ui::AnnotationItem& item);

private:
    /// One change, with what is needed to undo it.
    struct AnnotationChange {
        std::optional<launch::Annotation> before, after;
    };
    class AnnotationCommand;

    void connectPane();
    const launch::Annotation* find(qint64 id) const; ///< null if there is none
    void keep(launch::Annotation annotation);
    void apply(const AnnotationChange& change);
    void make(AnnotationChange change);
    void take(const QString& problem);

    AnnotationBar* m_bar;
    AnnotationPane* m_pane;
    PlotExtras* m_extras;
    ExtrasPtr m_read; ///< with the annotations as last read; null: not read yet
    QUndoStack* m_undo;
    /// The changes that are being written, oldest first; none for one that undoes or redoes.
    std::deque<std::optional<AnnotationChange>> m_underway;
};

} // namespace rankscope::ui
