// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>
#include <QStringList>
#include <QThreadPool>

#include <optional>
#include <string>

namespace rankscope::ui {

/// Returns $XDG_STATE_HOME/rankscope/`name`, by default below ~/.local/state.
QString stateFolder(const QString& name);

/// How the recipe would be launched, and the machine it is planned for.
struct LaunchFields {
    QString repeats = {}; ///< the folder of the run it is a copy of; empty: none
    QStringList overrides = {};
    int ranks = 0;
    QString runsDir = {}; ///< empty: the default
    QString machine = {}; ///< as `rankscopectl plan --machine` takes it; empty: this one

    bool operator==(const LaunchFields&) const = default;
};

struct Draft {
    QString path, title, origin; ///< path empty: a text without a file
    std::string text;
    QString baseHash; ///< of the text on disk when the edits began
    QDateTime when;
    std::optional<std::string> base;    ///< the text before the edits; none: a draft of an older version
    std::optional<LaunchFields> launch; ///< none: likewise
};

/// Keeps unsaved edits on disk, one file per recipe and window, so that a crash or a power cut loses nothing. A worker
/// thread writes the files; only their owner can read them.
class DraftStore final {
public:
    explicit DraftStore(const QString& dir);
    ~DraftStore(); ///< everything kept is on disk when it returns

    void keep(const Draft& draft);
    void drop(const QString& path, const QString& title);
    /// Returns the newest draft of this recipe that no running window holds, and removes it from the store once this
    /// window has kept its own with keep(). Damaged drafts are skipped.
    std::optional<Draft> take(const QString& path, const QString& title);
    std::optional<Draft> takeUntitled();
    void flush(); ///< waits for pending writes

    static QString hashOf(const std::string& text);

private:
    std::optional<Draft> newest(const QString& pattern, bool untitledOnly);
    QString own(const QString& path, const QString& title) const;

    QString m_dir;
    QThreadPool m_writer; ///< one thread, so that calls are carried out in order
};

} // namespace rankscope::ui
