// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/decisive_card.h"

#include "widgets/config/recipe_model.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

namespace rankscope::ui {

DecisiveCard::DecisiveCard(int which, QWidget* parent)
    : QFrame(parent), m_which(which), m_title(new QLabel(this)), m_keyName(new QLabel(this)),
      m_effect(new QLabel(this)), m_editor(new QComboBox(this)), m_remove(new QToolButton(this)) {
    build();
    retranslate();
    connect(m_editor, &QComboBox::textActivated, this, [this](const QString& value) {
        if (!m_row.yours || QString::fromStdString(*m_row.yours) != value)
            emit editRequested(key(), value);
    });
    connect(m_remove, &QToolButton::clicked, this, [this] { emit removeRequested(key()); });
    connect(m_keyName, &QLabel::linkActivated, this, [this] { emit revealRequested(key()); });
}

void DecisiveCard::build() {
    m_title->setFont(headingFont());
    m_keyName->setFont(secondaryFont());
    m_keyName->setTextFormat(Qt::RichText);
    m_keyName->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_editor->setFont(monoFont());
    m_editor->setEditable(true);
    m_editor->setInsertPolicy(QComboBox::NoInsert);
    m_editor->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_editor->setMinimumContentsLength(6);
    m_editor->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_remove->setIcon(Theme::instance().icon(QStringLiteral("close")));
    m_remove->setAutoRaise(true);
    m_effect->setFont(secondaryFont());
    m_effect->setWordWrap(true);
    m_effect->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_effect->setMinimumHeight(48);

    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(2);
    for (int i = 0; i < 4; ++i) {
        m_captions[i] = new QLabel(this);
        m_captions[i]->setFont(secondaryFont());
        m_captions[i]->setForegroundRole(QPalette::PlaceholderText);
        m_values[i] = new QLabel(this);
        m_values[i]->setFont(monoFont(9));
        m_values[i]->setTextFormat(Qt::PlainText);
        m_values[i]->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        if (i == 0)
            continue; // "yours" is the editor
        grid->addWidget(m_captions[i], 0, i - 1);
        grid->addWidget(m_values[i], 1, i - 1);
        grid->setColumnStretch(i - 1, 1);
    }
    m_values[0]->hide();
    auto* edit = new QHBoxLayout;
    edit->setSpacing(4);
    edit->addWidget(m_captions[0]);
    edit->addSpacing(4);
    edit->addWidget(m_editor, 1);
    edit->addWidget(m_remove);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(4);
    layout->addWidget(m_title);
    layout->addWidget(m_keyName);
    layout->addLayout(edit);
    layout->addSpacing(2);
    layout->addLayout(grid);
    layout->addSpacing(2);
    layout->addWidget(m_effect, 1);
}

QString DecisiveCard::key() const {
    return QString::fromLatin1(decisiveSettings()[static_cast<std::size_t>(m_which)].key);
}

void DecisiveCard::retranslate() {
    m_title->setText(decisiveSettings()[static_cast<std::size_t>(m_which)].title);
    m_captions[0]->setText(tr("Yours"));
    m_captions[1]->setText(tr("NeMo YAML"));
    m_captions[2]->setText(tr("NeMo code"));
    m_captions[3]->setText(tr("Effective"));
    m_remove->setToolTip(tr("Remove from your file, so that the default acts"));
    m_keyName->setToolTip(tr("Show in the tree"));
    m_editor->setAccessibleName(m_title->text());
    setRow(m_known ? &m_row : nullptr);
}

void DecisiveCard::fillEditor() {
    const QSignalBlocker quiet(m_editor);
    m_editor->clear();
    QStringList values = decisiveSettings()[static_cast<std::size_t>(m_which)].values;
    for (const auto& choice : m_row.choices)
        if (const QString one = QString::fromStdString(choice); !values.contains(one))
            values << one;
    m_editor->addItems(values);
    const QString yours = m_row.yours ? QString::fromStdString(*m_row.yours) : QString();
    m_editor->setCurrentIndex(values.indexOf(yours));
    m_editor->setEditText(yours);
    m_editor->lineEdit()->setPlaceholderText(tr("not in your file"));
}

void DecisiveCard::setRow(const config::KeyRow* row) {
    m_known = row != nullptr;
    if (row != &m_row)
        m_row = row ? *row : config::KeyRow{};
    const QString dash = QStringLiteral("–");
    const auto value = [&](const std::optional<config::ValueText>& v) { return v ? QString::fromStdString(*v) : dash; };
    if (!m_editor->hasFocus() || !m_editor->lineEdit()->isModified())
        fillEditor();
    m_remove->setVisible(m_row.yours.has_value());
    m_values[1]->setText(value(m_row.nemoYaml));
    m_values[2]->setText(value(m_row.code));
    m_values[3]->setText(value(m_row.effective));
    m_values[2]->setToolTip(QString::fromStdString(m_row.codeSource));
    m_values[3]->setToolTip(tr("from %1").arg(originWord(m_row.origin)));
    QPalette marked = palette();
    marked.setColor(QPalette::WindowText,
                    m_row.differs ? Theme::instance().palette().accent : Theme::instance().palette().text);
    m_values[3]->setPalette(marked);
    const QString colour = Theme::instance().palette().secondary.name();
    m_keyName->setText(
        QStringLiteral("<a href=\"#\" style=\"color:%1;text-decoration:none\">%2</a>").arg(colour, key()));
    // the recipe's own figures where the rules have some, else what the setting does in general
    QString effect = coreText(m_row.risk);
    if (!effect.isEmpty())
        effect[0] = effect[0].toUpper();
    else if (m_row.effective)
        effect = effectOnRanks(key(), QString::fromStdString(*m_row.effective));
    m_effect->setText(effect);
    update();
}

void DecisiveCard::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(p.hairline);
    painter.setBrush(p.panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

} // namespace rankscope::ui
