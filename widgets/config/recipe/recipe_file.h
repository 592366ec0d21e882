// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/values/error.h"
#include "widgets/config/labels/risk_remedies.h"
#include "widgets/config/recipe/draft_store.h"
#include "widgets/config/recipe/evaluator.h"
#include "widgets/config/recipe/text_change.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QUndoStack>

#include <functional>
#include <string>

namespace rankscope::ui {

/// The recipe being edited: its bytes, the undo stack that tree and text share, and the version on disk.
class ConfigFile final : public QObject {
    Q_OBJECT
public:
    explicit ConfigFile(QObject* parent = nullptr);

    Result<void> open(const QString& path);
    /// Opens a text without a file: "Save" asks where to put it. `title` is shown, `origin` is the file it came from,
    /// if any.
    Result<void> openText(std::string bytes, const QString& title, const QString& origin);
    Result<void> save();
    Result<void> saveAs(const QString& path);
    /// Loads the version on disk, as a step that can be undone.
    Result<void> reload();
    void keepMyVersion(); ///< ignores that the file changed on disk
    /// Keeps unsaved edits in this folder and restores those of a window that died; empty: does neither.
    void setDraftDir(const QString& dir);
    DraftStore* drafts() const { return m_drafts.get(); }
    void dropDraft(); ///< discards the draft of the edits
    /// Restores an unsaved text without a file from an earlier window; false: there is none.
    bool recoverUntitled();
    /// Restores the unsaved edits of a file that no longer exists; false: there are none.
    bool recoverLost(const QString& path);
    /// Sets the function that returns the recipe's launch fields; called whenever a draft is kept.
    void setLaunchFields(std::function<LaunchFields()> fields);
    void launchFieldsChanged(); ///< by the user: the draft includes them too
    void acceptLaunchFields();  ///< the current fields become those of the opened recipe
    /// Records that this text was launched as this run. The run has a copy, so the text need not be saved.
    void markLaunched(const std::string& text, const QString& runDir);
    void discardEdits(); ///< reverts to the saved text, as a step that can be undone

    bool isOpen() const { return m_open; }
    QString path() const { return m_path; } ///< empty: not saved yet
    QString origin() const { return m_origin; }
    QString title() const;
    void setTitle(const QString& title); ///< for a text without a file, when the language changes
    const std::string& bytes() const { return m_bytes; }
    const std::string& diskBytes() const { return m_onDisk; } ///< as last seen
    bool isDirty() const { return m_open && (m_bytes != m_saved || m_path.isEmpty()); }
    bool hasEdits() const { return m_open && m_bytes != m_saved; }
    /// Returns whether there are edits that the file lacks; a copy without a file is kept by the run it was launched
    /// as.
    bool hasUnsavedEdits() const { return hasEdits() && !(m_path.isEmpty() && isLaunched()); }
    /// Returns whether opening another recipe would lose edits. A launched text is not lost: a file's draft is kept.
    bool hasUnkeptEdits() const { return hasUnsavedEdits() && !(isLaunched() && m_drafts); }
    QString launchedAs() const { return isLaunched() ? m_launchedRun : QString(); } ///< the run's folder

    /// Sets a value, as edited in the tree: only the bytes of the value change.
    Result<void> setValue(const QString& key, const QString& yaml);
    bool hasKey(const QString& key) const;               ///< in the text; false while it cannot be parsed
    Result<void> setValues(const KeySettings& settings); ///< sets all or none, as one undo step
    Result<void> removeKey(const QString& key);
    /// Renames a key within its section; its value and comments stay.
    Result<void> renameKey(const QString& key, const QString& name);
    /// Moves the key or section into `section` ("": the top level) before the key `before`; "": to the end.
    Result<void> moveKey(const QString& key, const QString& section, const QString& before);
    /// Sets the text as edited in the text pane; `shown` has plain line feeds.
    void setShownText(const std::string& shown);

    QUndoStack* undoStack() { return &m_undo; }
    Evaluator* evaluator() { return &m_evaluator; }
    const Evaluation& evaluation() const { return m_evaluation; }
    /// Returns the tree of evaluation() if its keys differ from those of the previous evaluation; only once.
    std::shared_ptr<RecipeTree> takeTree() { return std::move(m_tree); }
    void setOverrides(const QStringList& overrides);

signals:
    void opened();
    void bytesChanged();
    void dirtyChanged(bool dirty);
    void evaluationChanged();
    /// An edit changed the value at this key; evaluationChanged() follows with its effect on the recipe.
    void valueWritten(const QString& key, const rankscope::config::ValueText& yours);
    void changedOnDisk();
    /// Unsaved edits of an earlier window were restored; `diskChanged`: the file has been written since.
    void recovered(const QDateTime& when, bool diskChanged);
    void launchFieldsRecovered(const rankscope::ui::LaunchFields& fields); ///< before recovered()

private:
    friend class TextCommand;
    Result<std::string> readChecked(const QString& path) const;
    void adopt(std::string bytes, const QString& path, const QString& title, const QString& origin);
    void push(const TextChange& change, bool typing, const QString& text);
    void push(config::Document after, const QString& text);
    void applyChange(const TextChange& change);
    config::Document document() const;
    void emitEditedKey(const TextChange& change);
    void evaluateSoon(int delayMs);
    void watch();
    void fileChanged();
    bool isLaunched() const { return !m_launchedRun.isEmpty() && m_bytes == m_launched; }
    void saveDraft();
    LaunchFields launchFields() const { return m_launchFields ? m_launchFields() : LaunchFields(); }
    void recover();
    void restore(const Draft& draft, bool diskChanged);

    std::string m_bytes, m_saved, m_onDisk, m_launched;
    QString m_path, m_title, m_origin, m_launchedRun;
    QStringList m_overrides;
    std::function<LaunchFields()> m_launchFields;
    LaunchFields m_fieldsOpened; ///< as they were when the recipe was opened
    QUndoStack m_undo;
    QFileSystemWatcher m_watcher;
    std::unique_ptr<DraftStore> m_drafts;
    QTimer m_draftTimer;
    QTimer m_settle; ///< programs that replace the file leave it missing for a moment
    Evaluator m_evaluator;
    Evaluation m_evaluation;
    std::shared_ptr<RecipeTree> m_tree;
    std::shared_ptr<const config::Document> m_document; ///< of m_bytes; null: not read yet
    std::shared_ptr<const config::Document> m_after;    ///< of the edit that is being pushed
    bool m_open = false, m_wasDirty = false;
};

} // namespace rankscope::ui
