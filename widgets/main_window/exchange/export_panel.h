// SPDX-License-Identifier: GPL-3.0-or-later
// Exports the open run, or the visible part of it, to a format of other programs.
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

    /// `plots` writes the plots as they are shown to a file and returns the error, if any.
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
    bool m_targetChosen = false; ///< the user chose the target, which is kept
};

} // namespace rankscope::ui
