<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Plan</name>
    <message numerus="yes">
        <source>%n process(es)</source>
        <translation>
            <numerusform>%n process</numerusform>
            <numerusform>%n processes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n utterance(s)</source>
        <translation>
            <numerusform>%n utterance</numerusform>
            <numerusform>%n utterances</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n rank</numerusform>
            <numerusform>%n ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n collective(s), %1 per step</source>
        <translation>
            <numerusform>%n collective, %1 per step</numerusform>
            <numerusform>%n collectives, %1 per step</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::HeaderBar</name>
    <message numerus="yes">
        <source>%n rank(s)</source>
        <translation>
            <numerusform>%n rank</numerusform>
            <numerusform>%n ranks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>followed by %n run(s)</source>
        <translation>
            <numerusform>followed by %n run</numerusform>
            <numerusform>followed by %n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::IncidentBanner</name>
    <message numerus="yes">
        <source>%n more incident(s) are open</source>
        <translation>
            <numerusform>%n more incident is open</numerusform>
            <numerusform>%n more incidents are open</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::InfoPane</name>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n error</numerusform>
            <numerusform>%n errors</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::LaunchPanel</name>
    <message numerus="yes">
        <source>Working folder: %n manifest(s) missing</source>
        <translation>
            <numerusform>Working folder: %n manifest missing</numerusform>
            <numerusform>Working folder: %n manifests missing</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RecipeModel</name>
    <message numerus="yes">
        <source>%n problem(s) in this section</source>
        <translation>
            <numerusform>%n problem in this section</numerusform>
            <numerusform>%n problems in this section</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::ReviewToolbar</name>
    <message numerus="yes">
        <source>%n incident(s)</source>
        <translation>
            <numerusform>%n incident</numerusform>
            <numerusform>%n incidents</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rankscope::ui::RunListModel</name>
    <message numerus="yes">
        <source>%n rank(s), %1</source>
        <translation>
            <numerusform>%n rank, %1</numerusform>
            <numerusform>%n ranks, %1</numerusform>
        </translation>
    </message>
</context>
</TS>
