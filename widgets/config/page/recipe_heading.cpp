// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/page/recipe_heading.h"

#include "widgets/config/recipe/recipe_file.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace rankscope::ui {

RecipeHeading::RecipeHeading(const ConfigFile* file, QWidget* parent)
    : QWidget(parent), m_file(file), m_title(new QLabel(this)), m_path(new QLabel(this)),
      m_toSettings(new QPushButton(this)), m_row(new QHBoxLayout(this)) {
    m_title->setFont(headingFont());
    m_title->setTextFormat(Qt::PlainText); // it may hold the name of another user's run
    m_path->setFont(secondaryFont());
    m_path->setTextFormat(Qt::PlainText);
    m_path->setForegroundRole(QPalette::PlaceholderText);
    m_path->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_row->setContentsMargins(12, 6, 8, 4);
    m_row->setSpacing(4);
    m_row->addWidget(m_title);
    m_row->addSpacing(8);
    m_row->addWidget(m_path, 1);
    m_row->addWidget(m_toSettings);
    connect(m_toSettings, &QPushButton::clicked, this, &RecipeHeading::settingsRequested);
}

void RecipeHeading::retranslate() {
    m_toSettings->setText(tr("Settings of the run"));
    m_toSettings->setToolTip(tr("Show the settings that the open run was launched with (read-only)"));
    showTitle();
}

void RecipeHeading::showTitle() {
    if (!m_file->isOpen()) {
        m_title->setText(tr("No recipe is open"));
        m_path->clear();
        return;
    }
    m_title->setText(m_file->isDirty() ? tr("%1 •").arg(m_file->title()) : m_file->title());
    m_title->setToolTip(m_file->isDirty() ? tr("Not saved") : QString());
    m_path->setText(m_file->path().isEmpty() ? tr("unsaved copy") : shortPath(m_file->path()));
    m_path->setToolTip(plainToolTip(m_file->path()));
}

void RecipeHeading::setRunOpen(bool on) {
    m_toSettings->setVisible(on);
}

void RecipeHeading::setActions(const QList<QAction*>& actions) {
    for (QAction* action : actions) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        m_row->addWidget(button);
    }
}

} // namespace rankscope::ui
