// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/page/line_box.h"

#include <QCompleter>
#include <QFrame>
#include <QLineEdit>
#include <QVBoxLayout>

namespace rankscope::ui {

QLineEdit* openLineBox(QWidget* parent, const QString& name, const QPoint& at, const QStringList& completions,
                       const std::function<void(const QString& text)>& done) {
    auto* box = new QFrame(parent, Qt::Popup);
    box->setObjectName(name);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setFrameShape(QFrame::StyledPanel);
    auto* edit = new QLineEdit(box);
    auto* completer = new QCompleter(completions, edit);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setFilterMode(Qt::MatchContains);
    edit->setCompleter(completer);
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(edit);
    QObject::connect(edit, &QLineEdit::returnPressed, box, [box, edit, done] {
        done(edit->text());
        box->close();
    });
    box->resize(280, box->sizeHint().height());
    box->move(at);
    box->show();
    edit->setFocus();
    return edit;
}

} // namespace rankscope::ui
