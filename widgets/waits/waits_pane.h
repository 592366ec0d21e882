// SPDX-License-Identifier: GPL-3.0-or-later
// Shows who waited for whom in a part of the run: sentences about the holders, with what better balance would gain,
// next to a table or matrix of the waits.
#pragma once

#include "core/diagnosis/stalls/stall_scan.h"
#include "widgets/models/base/background_task.h"
#include "widgets/models/waits/wait_grid.h"

#include <QElapsedTimer>
#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace rankscope::ui {

class OneLineLabel;
class WaitHeatMap;
class WaitModel;

class WaitsPane final : public QWidget {
    Q_OBJECT
public:
    explicit WaitsPane(QWidget* parent = nullptr);

    /// Sets the part to explain; nothing is read while the pane is hidden.
    void setRequest(const WaitsRequest& request);
    /// Sets waits that no record reports and that lasted until `untilNs`; they count if the explained part extends to
    /// that time. `inProgress`: the run has not ended.
    void setOpenWaits(std::vector<diagnosis::OpenWait> waits, std::int64_t untilNs, bool inProgress);
    void clear();
    /// Returns whether the table shows the requested part, or the pane is hidden.
    bool isComplete() const;
    void setMatrixShown(bool on); ///< shows the matrix instead of the table
    QString asText() const;       ///< range, sentences, and table or matrix
    QSize sizeHint() const override { return {800, 200}; }

public slots:
    void copy() const;

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    QWidget* makeBar();
    void load(int delayMs = 200);
    void take(const WaitsReplyPtr& reply);
    void updateText();
    void updateChoices();
    void applyFilter();
    WaitFilter filter() const;
    diagnosis::WaitMatrix matrix() const;

    BackgroundTask m_task{QStringLiteral("explain-waits")};
    WaitModel* m_model;
    OneLineLabel* m_range; ///< the steps that all figures cover
    QLabel* m_sentence;
    QTableView* m_table;
    WaitHeatMap* m_map;
    QStackedWidget* m_views;
    QToolButton *m_asTable, *m_asMatrix, *m_copy;
    QComboBox *m_phase, *m_tag;
    std::vector<diagnosis::OpenWait> m_open;
    std::int64_t m_openNs = 0; ///< until when they lasted
    bool m_inProgress = false;
    QElapsedTimer m_sinceOpen;
    std::optional<WaitsRequest> m_wanted;
    WaitsReplyPtr m_shown;
};

} // namespace rankscope::ui
