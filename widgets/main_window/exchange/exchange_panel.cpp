// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/exchange/exchange_panel.h"

#include "widgets/controls/box_layout.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QCloseEvent>
#include <QDesktopServices>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QTimer>
#include <QUrl>

#include <algorithm>

namespace rankscope::ui {

static constexpr int kStatusLines = 2; ///< a path takes two; longer texts let the panel grow

/// Keeps a widget's room while it is hidden, so that its neighbours stay in place.
static void keepRoom(QWidget* widget) {
    QSizePolicy policy = widget->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    widget->setSizePolicy(policy);
}

ExchangePanel::ExchangePanel(QWidget* parent) : QDialog(parent), m_task(new ExportProcess(this)) {
    setModal(false);
    setMinimumWidth(560);
    auto* column = filledBox(new QVBoxLayout(this), {16, 16, 16, 16}, 12);
    m_form = new QFormLayout;
    m_form->setHorizontalSpacing(16);
    m_form->setVerticalSpacing(8);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_hint = new QLabel;
    m_hint->setWordWrap(true);
    m_hint->setForegroundRole(QPalette::PlaceholderText);
    m_bar = new QProgressBar;
    m_bar->setRange(0, 0);
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(6);
    keepRoom(m_bar);
    m_bar->hide();
    m_status = new QLabel;
    m_status->setObjectName(QStringLiteral("exchangeStatus"));
    m_status->setWordWrap(true);
    m_status->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_status->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_status->setMinimumHeight(kStatusLines * m_status->fontMetrics().lineSpacing());
    m_begin = new QPushButton;
    m_begin->setDefault(true);
    m_cancel = new QPushButton;
    m_show = new QPushButton;
    m_cancel->setAutoDefault(false); // Enter exports or imports, wherever the focus is
    m_show->setAutoDefault(false);
    keepRoom(m_show);
    m_show->hide();
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_show);
    buttons->addStretch(1);
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_begin);
    column->addLayout(m_form);
    column->addWidget(m_hint);
    column->addStretch(1);
    column->addWidget(m_bar);
    column->addWidget(m_status);
    column->addLayout(buttons);
    connect(m_begin, &QPushButton::clicked, this, &ExchangePanel::begin);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        if (isBusy())
            m_task->cancel();
        else
            close();
    });
    connect(m_show, &QPushButton::clicked, this, [this] {
        const QFileInfo made(m_result);
        QDesktopServices::openUrl(QUrl::fromLocalFile(made.isDir() ? m_result : made.absolutePath()));
    });
    connect(m_task, &ExportProcess::progress, this, [this](qint64 bytes, qint64 ms) {
        showStatus(tr("%1 written, %2 s").arg(QLocale().formattedDataSize(bytes)).arg(ms / 1000));
    });
    connect(m_task, &ExportProcess::done, this, &ExchangePanel::taskDone);
    onLanguageChange(this, [this] {
        retranslate();
        updateState();
    });
}

void ExchangePanel::showStatus(const QString& text, bool problem) {
    QPalette palette = this->palette();
    if (problem)
        palette.setColor(QPalette::WindowText, Theme::instance().palette().dead);
    m_status->setPalette(palette);
    m_status->setText(text);
    growToFit();
}

/// Grows the panel: a text that got longer would otherwise squash the fields above it.
void ExchangePanel::growToFit() {
    const auto grow = [this] {
        const int wanted = std::max(layout()->totalHeightForWidth(width()), layout()->totalMinimumSize().height());
        if (isVisible() && wanted > height())
            resize(width(), wanted);
    };
    grow();
    QTimer::singleShot(0, this, grow); // after hidden parts have been laid out
}

void ExchangePanel::setLabels(const QStringList& labels) {
    for (int row = 0; row < labels.size(); ++row)
        qobject_cast<QLabel*>(m_form->itemAt(row, QFormLayout::LabelRole)->widget())->setText(labels[row]);
}

void ExchangePanel::forgetResult() {
    m_result.clear();
    showStatus({});
    retranslate();
}

void ExchangePanel::setDone(bool done) {
    m_begin->setDefault(!done);
    m_cancel->setDefault(done);
    if (done && isVisible())
        m_cancel->setFocus(Qt::OtherFocusReason);
}

void ExchangePanel::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    growToFit();
}

void ExchangePanel::startTask(const QStringList& arguments, const QString& draft, const QString& target) {
    m_result.clear();
    showStatus(tr("Starting…"));
    m_task->start(arguments, draft, target);
    m_bar->setVisible(true);
    retranslate();
    updateState();
}

void ExchangePanel::taskDone(const QByteArray& output, const QString& remarks, const QString& error, bool calledOff) {
    m_bar->hide();
    if (calledOff)
        showStatus(tr("Cancelled; nothing was left behind."));
    else if (!error.isEmpty())
        showStatus(error, true);
    else
        finished(output, remarks);
    retranslate();
    updateState();
}

void ExchangePanel::retranslate() {
    m_cancel->setText(isBusy() ? tr("Cancel") : tr("Close"));
    m_show->setText(tr("Show in folder"));
    m_show->setVisible(!m_result.isEmpty() && !isBusy());
}

void ExchangePanel::closeEvent(QCloseEvent* event) {
    m_task->cancel();
    event->accept();
}

void ExchangePanel::reject() {
    m_task->cancel();
    QDialog::reject();
}

} // namespace rankscope::ui
