// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/run/plot_extras_loader.h"

#include <QObject>

#include <optional>
#include <vector>

namespace rankscope::ui {

class AnnotationBar;

/// Edits the annotations of a run in a bar and can undo the changes.
class AnnotationController final : public QObject {
    Q_OBJECT
public:
    /// The parent owns both.
    AnnotationController(AnnotationBar* bar, PlotExtras* extras, QObject* parent);

    void clear(); ///< call it before another run is shown
    void edit(qint64 id);
    void remove(qint64 id);
    bool canUndo() const { return !m_undo.empty(); }
    void undo();

signals:
    void message(const QString& text);

private:
    /// One change, with what is needed to undo it.
    struct AnnotationChange {
        std::optional<launch::Annotation> before, after;
    };

    const launch::Annotation* find(qint64 id) const; ///< null if there is none
    void keep(launch::Annotation annotation);
    void apply(const AnnotationChange& change);

    AnnotationBar* m_bar;
    PlotExtras* m_extras;
    ExtrasPtr m_read; ///< with the annotations as last read; null: not read yet
    std::vector<AnnotationChange> m_undo;
};

} // namespace rankscope::ui
