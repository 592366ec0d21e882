// SPDX-License-Identifier: GPL-3.0-or-later
// Who waited for whom in the part of the run that the plots show: a sentence and a table.
#pragma once

#include "widgets/models/waits_loader.h"

#include <QWidget>

#include <optional>

class QLabel;
class QTableView;

namespace rankscope::ui {

class WaitModel;

class WaitsPane final : public QWidget {
    Q_OBJECT
public:
    explicit WaitsPane(QWidget* parent = nullptr);

    /// What is to be explained; nothing is read while the pane is hidden.
    void setRequest(const WaitsRequest& request);
    void clear();
    /// The table shows what was asked for, or the pane is hidden.
    bool isComplete() const;

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void take(const WaitsReplyPtr& reply);
    void updateText();

    WaitsLoader m_loader;
    WaitModel* m_model;
    QLabel* m_sentence;
    QTableView* m_table;
    std::optional<WaitsRequest> m_wanted;
    WaitsReplyPtr m_shown;
};

} // namespace rankscope::ui
