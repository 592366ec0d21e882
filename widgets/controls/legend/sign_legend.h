// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QStringList>
#include <QWidget>

#include <functional>

class QPainter;

namespace rankscope::ui {

/// A legend of signs with their meaning, in as many rows as the width needs. Derived classes name what is in sight.
class SignLegend : public QWidget {
    Q_OBJECT
public:
    struct LegendEntry {
        QString name;
        std::function<void(QPainter&, const QRect&)> draw; ///< draws the sign into a square
    };

    explicit SignLegend(QWidget* parent = nullptr);
    QStringList names() const; ///< of the entries
    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    virtual QList<LegendEntry> entries() const = 0;
    void entriesChanged();
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// Places the entries in `boxes`; returns the height of all, at least that of one row.
    int place(const QList<LegendEntry>& entries, int width, QList<QRect>* boxes) const;
};

} // namespace rankscope::ui
