@echo off
rem Starts a scene with its HTTP API on http://127.0.0.1:8080 and shows what it prints; Ctrl-C ends it.
rem   scripts\start_godot_api.bat [SCENE] [--headless] [--project DIR] [--timeout S]
rem   GODOT_HTTP_API_PORT, GODOT_ENV, GODOT_HTTP_API_TOKEN: see docs\http_api.md
setlocal
set GODOT_ENABLE_HTTP_API=true
set SCENE=scenes/Main.tscn
set FIRST=%~1
if "%FIRST%"=="" goto run
if "%FIRST:~0,1%"=="-" goto run
set SCENE=%FIRST%
shift
:run
set WORDS=
:more
if "%~1"=="" goto start
set WORDS=%WORDS% %1
shift
goto more
:start
set PYTHON=python
if exist "%~dp0..\.venv\Scripts\python.exe" set PYTHON="%~dp0..\.venv\Scripts\python.exe"
%PYTHON% -m sandlot godot run %SCENE% --timeout 86400 %WORDS%
exit /b %ERRORLEVEL%
