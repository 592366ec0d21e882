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

/// The recipe that is being edited: its bytes, the undo stack that tree and text share, and what is on disk.
class ConfigFile final : public QObject {
    Q_OBJECT
public:
    explicit ConfigFile(QObject* parent = nullptr);

    Result<void> open(const QString& path);
    /// A text without a file: "Save" asks where. `title` is shown, `origin` is the file that it came from, if any.
    Result<void> openText(std::string bytes, const QString& title, const QString& origin);
    Result<void> save();
    Result<void> saveAs(const QString& path);
    /// Takes what is on disk now, as a step that can be undone.
    Result<void> reload();
    void keepMine(); ///< forgets that the file changed on disk
    /// Keeps edits that are not saved in this folder and brings back those of a window that died; empty: does not.
    void setDraftDir(const QString& dir);
    DraftStore* drafts() const { return m_drafts.get(); }
    void dropDraft(); ///< the edits are given up
    /// An unsaved text without a file that a window left behind; false: there is none.
    bool recoverUntitled();
    /// Unsaved edits of a file that is gone; false: there are none.
    bool recoverLost(const QString& path);
    /// Asked for what belongs to the recipe beside its text, whenever a draft is kept.
    void setLaunchFields(std::function<LaunchFields()> fields);
    void launchFieldsChanged(); ///< by the user: they are kept as well
    void acceptLaunchFields();  ///< as they are now they belong to what was opened
    /// This text was launched, as this run: it has a copy, so that the text need not be saved.
    void countAsLaunched(const std::string& text, const QString& runDir);
    void discardEdits(); ///< back to what is saved, as a step that can be undone

    bool isOpen() const { return m_open; }
    QString path() const { return m_path; } ///< empty: not saved yet
    QString origin() const { return m_origin; }
    QString title() const;
    void setTitle(const QString& title); ///< of a text without a file, in another language
    const std::string& bytes() const { return m_bytes; }
    const std::string& diskBytes() const { return m_onDisk; } ///< as they were seen last
    bool isDirty() const { return m_open && (m_bytes != m_saved || m_path.isEmpty()); }
    bool hasEdits() const { return m_open && m_bytes != m_saved; }
    /// Edits that the file lacks; a copy without a file is kept by the run that it was launched as.
    bool hasUnsavedEdits() const { return hasEdits() && !(m_path.isEmpty() && isLaunched()); }
    /// Edits that would be lost when another recipe is opened. What was launched is not: the draft of a file stays.
    bool hasUnkeptEdits() const { return hasUnsavedEdits() && !(isLaunched() && m_drafts); }
    QString launchedAs() const { return isLaunched() ? m_launchedRun : QString(); } ///< the run's folder

    /// An edit in the tree: only the bytes of the value change.
    Result<void> setValue(const QString& key, const QString& yaml);
    bool hasKey(const QString& key) const;               ///< the text has it; false while it cannot be read
    Result<void> setValues(const KeySettings& settings); ///< all of them or none, one undo step
    Result<void> removeKey(const QString& key);
    /// Another name in the same section; its value and comments stay.
    Result<void> renameKey(const QString& key, const QString& name);
    /// Puts the key, or section, into `section` ("": the top) before the key `before`; "": at the end.
    Result<void> moveKey(const QString& key, const QString& section, const QString& before);
    /// An edit in the text pane; `shown` has plain line feeds.
    void setShownText(const std::string& shown);

    QUndoStack* undoStack() { return &m_undo; }
    Evaluator* evaluator() { return &m_evaluator; }
    const Evaluation& evaluation() const { return m_evaluation; }
    /// Of evaluation(), when its keys are others than those of the one before; once.
    std::shared_ptr<RecipeTree> takeTree() { return std::move(m_tree); }
    void setOverrides(const QStringList& overrides);

signals:
    void opened();
    void bytesChanged();
    void dirtyChanged(bool dirty);
    void evaluationChanged();
    /// An edit changed what stands at this key; what it makes of the recipe follows by evaluationChanged().
    void valueWritten(const QString& key, const rankscope::config::ValueText& yours);
    void changedOnDisk();
    /// Unsaved edits of an earlier window were put back; `diskChanged`: the file was written since.
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
    void tellWritten(const TextChange& change);
    void evaluateSoon(int delayMs);
    void watch();
    void fileChanged();
    bool isLaunched() const { return !m_launchedRun.isEmpty() && m_bytes == m_launched; }
    void keepDraft();
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
    QTimer m_settle; ///< writers that replace the file leave a moment without one
    Evaluator m_evaluator;
    Evaluation m_evaluation;
    std::shared_ptr<RecipeTree> m_tree;
    std::shared_ptr<const config::Document> m_document; ///< of m_bytes; null: not read yet
    std::shared_ptr<const config::Document> m_after;    ///< of the edit that is being pushed
    bool m_open = false, m_wasDirty = false;
};

} // namespace rankscope::ui
