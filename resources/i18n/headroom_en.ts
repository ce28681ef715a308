<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>JobDesk</name>
    <message numerus="yes">
        <source>Interrupted when the program last ended: %n job(s).</source>
        <translation>
            <numerusform>Interrupted when the program last ended: %n job.</numerusform>
            <numerusform>Interrupted when the program last ended: %n jobs.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Still in the queue: %n job(s).</source>
        <translation>
            <numerusform>Still in the queue: %n job.</numerusform>
            <numerusform>Still in the queue: %n jobs.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Waits behind %n job(s)</source>
        <translation>
            <numerusform>Waits behind %n job</numerusform>
            <numerusform>Waits behind %n jobs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n picture(s) done</source>
        <translation>
            <numerusform>%n picture done</numerusform>
            <numerusform>%n pictures done</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StatusBar</name>
    <message numerus="yes">
        <source>Paused with %n job(s) in the queue.</source>
        <translation>
            <numerusform>Paused with %n job in the queue.</numerusform>
            <numerusform>Paused with %n jobs in the queue.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more in the queue</source>
        <translation>
            <numerusform>%n more in the queue</numerusform>
            <numerusform>%n more in the queue</numerusform>
        </translation>
    </message>
</context>
</TS>
