// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

namespace rankscope::ui {

struct KeyLine {
    QString key, text;
};
struct KeySection {
    QString title;
    QList<KeyLine> lines;
};
/// Returns the keys that a page handles itself while it has the focus; they are not in the window's menus.
QList<KeySection> pageKeys();

/// Shows sections of keys in as many columns as fit; no section is split, and no key or text is cut.
class KeyList final : public QWidget {
    Q_OBJECT
public:
    explicit KeyList(QWidget* parent) : QWidget(parent) {}
    /// Lays the sections out as low as `width` allows and returns the size; texts longer than their column are wrapped.
    QSize arrange(const QList<KeySection>& sections, int width);
    int keyWidth() const { return m_keyWidth; }
    int textWidth() const { return m_textWidth; }
    static constexpr int kRow = 21;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct ShortcutRow {
        QString key, text;
        int height = kRow;
    };
    struct Block {
        QString title;
        QList<ShortcutRow> rows;
        QPoint at;
        int height = 0;
    };
    void measure(const QList<KeySection>& sections, int columnWidth);
    int heightWith(int columns);
    bool fits(int height, int columns);

    QList<Block> m_blocks;
    int m_keyWidth = 0, m_textWidth = 0, m_columnWidth = 0;
};

} // namespace rankscope::ui
