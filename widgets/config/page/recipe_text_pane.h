// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/page/info_pane.h"

#include <QTimer>
#include <QWidget>

class QSplitter;

namespace rankscope::ui {

class ConfigFile;
class FindBar;
class YamlEditor;

/// Shows the text of the open recipe with its find bar and, below it, the tabs for the selected key, the problems, the
/// dry run and the unsaved changes. If the height is small, the text is itself a tab.
class RecipeTextPane final : public QWidget {
    Q_OBJECT
public:
    RecipeTextPane(ConfigFile* file, PlanRequest* dryRun, QWidget* parent = nullptr);

    YamlEditor* editor() const { return m_editor; }
    InfoPane* info() const { return m_info; }
    /// Shows the recipe's text. Returns false if the editor cannot hold it unchanged; the editor is read-only then.
    bool showText();
    /// Shows a tab, and the pane itself if it is hidden.
    void showTab(InfoPane::InfoTab tab);
    void showChanges();
    void enterLine(int line, int column = 0); ///< moves the focus there
    QByteArray saveState() const;
    void restoreState(const QByteArray& state);
    void retranslate();

protected:
    void resizeEvent(QResizeEvent* event) override;

signals:
    void keyRequested(const QString& key); ///< of a problem without a line

private:
    void build();
    void goTo(const QModelIndex& problem);
    void setTabbed(bool on);

    ConfigFile* m_file;
    YamlEditor* m_editor;
    FindBar* m_find;
    InfoPane* m_info;
    QSplitter* m_split;
    QWidget* m_above;   ///< text and find bar
    QByteArray m_sizes; ///< of the splitter, while the text is a tab
    bool m_tabbed = false;
    QTimer m_changes; ///< updates the list of unsaved changes when typing pauses
};

} // namespace rankscope::ui
