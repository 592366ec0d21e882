// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QStringList>

class QMimeData;

namespace rankscope::ui {

/// What the window does with files that are dropped on it.
struct DroppedFiles {
    Q_DECLARE_TR_FUNCTIONS(DroppedFiles)
public:
    enum class DropUse {
        Nothing,
        OpenRecipe,
        OpenRun,
        Import,  ///< events of TensorBoard, or the folder of NeMo's exp_manager
        Explain, ///< everything else: logs, dumps and folders of them
    };
    DropUse use = DropUse::Nothing;
    QStringList paths; ///< of a run: its folder

    /// Decides by names and kinds of files. Several files are logs; a recipe or a run is not dropped with others.
    static DroppedFiles of(const QStringList& paths);
    static DroppedFiles of(const QMimeData* data);
    QString hint() const; ///< "Drop to explain train.log"; empty: nothing would happen
};

} // namespace rankscope::ui
