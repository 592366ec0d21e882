// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <functional>
#include <string>
#include <utility>

class QDateTime;
class QWidget;

namespace rankscope::ui {

class ConfigFile;
class LaunchPanel;
class NoticeBar;
class RecipeEdits;

/// Opens, copies and saves the recipe, and handles changes to its file. If edits would be lost, the notice bar asks
/// first.
class RecipeFileActions final : public QObject {
    Q_OBJECT
public:
    RecipeFileActions(ConfigFile* file, RecipeEdits* edits, NoticeBar* notice, LaunchPanel* launch, QWidget* page);

    void open(const QString& path);
    /// Opens a run's recipe as an unsaved copy. `key` is set to `yaml` in it, or removed if `yaml` is empty; if `key`
    /// is empty, the copy is not changed.
    void openCopy(const QString& runDir, const QString& key, const QString& yaml);
    bool save(); ///< false: not saved; the notice says why, or a file is being chosen
    void saveAs() { saveAsThen({}); }
    QString suggestedPath() const; ///< the folder and name that "Save as" starts with
    void retranslate();

signals:
    void message(const QString& text);
    void changesRequested(); ///< the user wants to see the differences from the file on disk

private:
    /// `next` returns a description of what would be opened.
    void replaceAfterAsking(const std::function<QString()>& next, const std::function<void()>& open);
    void replaceByCopy(const QString& runDir, const QString& key, const QString& yaml);
    void saveAsThen(const std::function<void()>& done);
    bool writeTo(const QString& path);
    void fileChangedOnDisk();
    void recovered(const QDateTime& when, bool diskChanged);

    ConfigFile* m_file;
    RecipeEdits* m_edits;
    NoticeBar* m_notice;
    LaunchPanel* m_launch;
    QWidget* m_page;
    std::pair<QString, std::string> m_copyOf; ///< folder of the run and name of the recipe of the open copy
};

} // namespace rankscope::ui
