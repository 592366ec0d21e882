// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/values/error.h"
#include "widgets/config/labels/risk_remedies.h"

#include <QObject>

class QWidget;

namespace rankscope::ui {

class ConfigFile;
class LaunchPanel;
class NoticeBar;

/// Edits the open recipe by key. Refused edits are reported in the notice bar.
class RecipeEdits final : public QObject {
    Q_OBJECT
public:
    /// `launch` provides the folder that paths in the recipe are relative to.
    RecipeEdits(ConfigFile* file, NoticeBar* notice, const LaunchPanel* launch, QWidget* page);

    void set(const QString& key, const QString& yaml);
    void add(const QString& key, const QString& yaml); ///< like set(), then shows the key
    void apply(const KeySettings& settings);
    void remove(const QString& key);
    void rename(const QString& from, const QString& to); ///< full keys; `to` may be in another section
    void move(const QString& key, const QString& section, const QString& before);
    void chooseManifest(const QString& key);
    void report(const Result<void>& done);
    /// Shows the key after the recipe's current text has been evaluated, because its row may be new.
    void revealWhenRead(const QString& key);

signals:
    void revealRequested(const QString& key);

private:
    ConfigFile* m_file;
    NoticeBar* m_notice;
    const LaunchPanel* m_launch;
    QWidget* m_page;
};

} // namespace rankscope::ui
