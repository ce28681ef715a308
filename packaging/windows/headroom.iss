; Inno Setup: the installer for Windows, from the folder that packaging/build.py makes.
;   iscc packaging\windows\headroom.iss
; Installs for this user, without rights, unless a person asks for all users.

#define MyName "Headroom"
#define MyVersion "0.1.0"
#define MyFolder "..\..\dist\headroom"

[Setup]
; Never change it: it is how an update finds what it replaces.
AppId={{6E5E2B63-9C0B-4C53-9B4E-3B1D5F0C7A41}
AppName={#MyName}
AppVersion={#MyVersion}
AppVerName={#MyName} {#MyVersion}
VersionInfoVersion={#MyVersion}
DefaultDirName={autopf}\{#MyName}
DefaultGroupName={#MyName}
DisableProgramGroupPage=yes
LicenseFile=..\..\LICENSE
SetupIconFile=..\..\resources\icons\headroom.ico
UninstallDisplayIcon={app}\headroom.exe
OutputDir=..\..\dist
OutputBaseFilename=headroom-{#MyVersion}-windows-setup
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
Compression=lzma2/fast
SolidCompression=yes
; Builds with CUDA are over 2 GB, more than one setup file can hold.
DiskSpanning=yes
DiskSliceSize=2000000000
SlicesPerDisk=1
WizardStyle=modern
CloseApplications=yes
RestartApplications=no

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "es"; MessagesFile: "compiler:Languages\Spanish.isl"
Name: "pt_BR"; MessagesFile: "compiler:Languages\BrazilianPortuguese.isl"

[Tasks]
Name: "desktopicon"; Description: "{cm:CreateDesktopIcon}"; GroupDescription: "{cm:AdditionalIcons}"; Flags: unchecked

[InstallDelete]
; Files of an older version that the new one does not have would still be found and imported.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "{#MyFolder}\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[Icons]
Name: "{autoprograms}\{#MyName}"; Filename: "{app}\headroom.exe"
Name: "{autodesktop}\{#MyName}"; Filename: "{app}\headroom.exe"; Tasks: desktopicon

[Run]
Filename: "{app}\headroom.exe"; Description: "{cm:LaunchProgram,{#MyName}}"; Flags: nowait postinstall skipifsilent
