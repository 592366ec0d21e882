// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the utterances that a rank trained on in the selected step: file, offset, duration. They are derived from the
// recipe and the seed when the pane is visible, on its own thread.
#pragma once

#include "core/launch/figures/step_batch.h"
#include "widgets/models/base/background_task.h"

#include <QWidget>

#include <optional>

class QLabel;
class QPushButton;
class QTableWidget;

namespace rankscope::ui {

struct BatchRequest {
    launch::RunPaths run;
    std::int64_t step = -1;
    int rank = 0;
    bool operator==(const BatchRequest& other) const {
        return run.dir == other.run.dir && step == other.step && rank == other.rank;
    }
};

class BatchPane final : public QWidget {
    Q_OBJECT
public:
    explicit BatchPane(QWidget* parent = nullptr);

    /// Sets the step; none: no span of a step is selected.
    void setRequest(const std::optional<BatchRequest>& request);
    QString said() const; ///< text of the line above the list

signals:
    void fileRequested(const QString& file, bool inFolder);

protected:
    void showEvent(QShowEvent* event) override;

private:
    enum BatchColumn { Number, File, Offset, Duration, Columns };
    void ask();
    void fill();
    void fillRow(int row, const launch::StepUtterance& one);
    void updateButtons();
    void retranslate();
    QString currentFile() const; ///< empty: none is selected

    using Reply = std::shared_ptr<const Result<launch::StepBatch>>;
    BackgroundTask m_task{QStringLiteral("step-batch")};
    std::optional<BatchRequest> m_request;
    Reply m_reply; ///< reply to m_request; null: not requested, or not answered yet
    bool m_asked = false;
    QLabel* m_text;
    QTableWidget* m_list;
    QPushButton *m_open, *m_folder, *m_copy;
};

} // namespace rankscope::ui
