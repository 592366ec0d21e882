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

/// How the recipe would be launched, and what it is planned for.
struct LaunchFields {
    QString repeats = {}; ///< the folder of the run that it is a copy of; empty: none
    QStringList overrides = {};
    int ranks = 0;
    QString runsDir = {}; ///< empty: the default
    QString machine = {}; ///< as `rankscopectl plan --machine` takes it; empty: this one

    bool operator==(const LaunchFields&) const = default;
};

struct Draft {
    QString path, title, origin; ///< path empty: a text without a file
    std::string text;
    QString baseHash; ///< of what was on disk when the edits began
    QDateTime when;
    std::optional<std::string> base;    ///< what the edits began with; none: a draft of an older version
    std::optional<LaunchFields> launch; ///< none: likewise
};

/// Keeps unsaved edits on disk, one file per recipe and window, so that a crash or a power cut loses nothing. The
/// files are written in a worker thread and readable by their owner only.
class DraftStore final {
public:
    explicit DraftStore(const QString& dir);
    ~DraftStore(); ///< all that was asked for is on disk then

    void keep(const Draft& draft);
    void drop(const QString& path, const QString& title);
    /// The newest draft of this recipe that no living window holds, and takes it out of the store once this window has
    /// its own: keep() it. Damaged ones are passed over.
    std::optional<Draft> take(const QString& path, const QString& title);
    std::optional<Draft> takeUntitled();
    void flush(); ///< waits for what is being written

    static QString hashOf(const std::string& text);

private:
    std::optional<Draft> newest(const QString& pattern, bool untitledOnly);
    QString own(const QString& path, const QString& title) const;

    QString m_dir;
    QThreadPool m_writer; ///< one thread: in the order of the calls
};

} // namespace rankscope::ui
