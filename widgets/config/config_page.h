// SPDX-License-Identifier: GPL-3.0-or-later
// Configure: the three decisive settings, the whole recipe as a tree, its text beside it, what is wrong, and Launch.
#pragma once

#include "widgets/config/config_file.h"

#include <QWidget>

#include <array>

class QHBoxLayout;
class QLabel;
class QListView;
class QSplitter;

namespace rankscope::ui {

class DecisiveCard;
class LaunchPanel;
class NoticeBar;
class ProblemModel;
class RecipeView;
class YamlEditor;

class ConfigPage final : public QWidget {
    Q_OBJECT
public:
    explicit ConfigPage(QWidget* parent = nullptr);

    ConfigFile* file() const { return m_file; }
    LaunchPanel* launchPanel() const { return m_launch; }
    RecipeView* recipe() const { return m_recipe; }
    YamlEditor* editor() const { return m_editor; }
    NoticeBar* notice() const { return m_notice; }
    ProblemModel* problems() const { return m_problems; }
    DecisiveCard* card(int which) const { return m_cards[static_cast<std::size_t>(which)]; }
    /// Everything that the recipe has is shown; for screenshots and tests.
    bool isComplete() const;

    /// Opens a file; edits that would be lost are asked about in the notice bar first.
    void open(const QString& path);
    /// A run's recipe as an unsaved copy.
    void openCopyOf(const QString& runDir);
    /// Opens a run's recipe as a copy and sets one key in it: the remedy of an incident.
    void openCopyWith(const QString& runDir, const QString& key, const QString& yaml);
    bool save(); ///< false: not saved; the notice says why, or a file is being chosen
    void saveAs();
    QByteArray saveLayout() const;
    void restoreLayout(const QByteArray& layout);
    /// Buttons beside the file's name: what the window's menus have too.
    void setHeadingActions(const QList<QAction*>& actions);
    QWidget* cards() const { return m_cardRow; }
    QWidget* textPane() const { return m_textPane; }

public slots:
    void focusSearch();
    void launch();

signals:
    void launched(const QString& runDir);
    void titleChanged(); ///< file name or dirty mark
    void message(const QString& text);

protected:
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void build();
    void connectAll();
    void retranslate();
    void showBytes();
    void showEvaluation();
    void showTitle();
    void edit(const QString& key, const QString& yaml);
    void remove(const QString& key);
    void replaceAfterAsking(const std::function<void()>& open);
    void fileChangedOnDisk();
    bool writeTo(const QString& path);

    ConfigFile* m_file;
    NoticeBar* m_notice;
    QLabel* m_title;
    QLabel* m_path;
    QLabel* m_problemTitle;
    QHBoxLayout* m_heading;
    std::array<DecisiveCard*, 3> m_cards{};
    QWidget* m_cardRow;
    RecipeView* m_recipe;
    YamlEditor* m_editor;
    QWidget* m_textPane;
    ProblemModel* m_problems;
    QListView* m_problemList;
    QSplitter* m_split;
    LaunchPanel* m_launch;
};

} // namespace rankscope::ui
