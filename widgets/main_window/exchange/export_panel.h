// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the open run, or what is seen of it, in a format of other programs.
#pragma once

#include "widgets/main_window/exchange/exchange_panel.h"

#include <QPointer>

#include <functional>
#include <optional>

class QComboBox;
class QLineEdit;

namespace rankscope::ui {

class ExportPanel final : public ExchangePanel {
    Q_OBJECT
public:
    enum Format { Csv, TensorBoard, Trace, Html, Plots };
    using Steps = std::optional<std::pair<qint64, qint64>>;

    /// `plots` writes the plots as they are seen into a file and says what went wrong.
    ExportPanel(std::function<QString(const QString&)> plots, QWidget* parent);
    /// `seen`: the steps in view.
    void setRun(const QString& dir, const QString& name, Steps seen);
    void setTarget(const QString& path);

public slots:
    void begin() override;

protected:
    void retranslate() override;
    void updateState() override;
    void finished(const QByteArray& output, const QString& remarks) override;

private:
    Format format() const;
    bool isFolder() const { return format() == Csv || format() == TensorBoard; }
    void proposeTarget();
    void browse();

    std::function<QString(const QString&)> m_plots;
    QString m_run, m_name;
    Steps m_seen;
    QComboBox *m_format, *m_range;
    QLineEdit* m_target;
    QPushButton* m_browse;
    bool m_targetChosen = false; ///< by the user: kept
};

} // namespace rankscope::ui
