<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
    <context>
        <name>rankscope::ui::ConfigPage</name>
        <message numerus="yes">
            <source>%n error(s)</source>
            <translation>
                <numerusform>%n error</numerusform>
                <numerusform>%n errors</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n note(s)</source>
            <translation>
                <numerusform>%n note</numerusform>
                <numerusform>%n notes</numerusform>
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
