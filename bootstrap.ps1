# Installs what a command needs on Windows, then runs it, as ./bootstrap does elsewhere:
#
#     .\bootstrap.ps1 scons shaders        build the sample shaders
#     .\bootstrap.ps1 pytest               run the tests
#
# Install Python 3.11 or later (python.org) and the Vulkan SDK (vulkan.lunarg.com) yourself: the SDK has SPIRV-Tools.
$ErrorActionPreference = 'Stop'
Set-Location $PSScriptRoot

function Fail([string] $message) {
    [Console]::Error.WriteLine("bootstrap: $message")
    exit 1
}

$extras = if (@('scons', 'hlsl_tool', 'hlsl2spirv') -contains $args[0]) { 'scons' } else { 'dev,docs,execute' }

$python = @(
    if ($env:PYTHON) { $env:PYTHON }
    elseif (Get-Command py -ErrorAction SilentlyContinue) { 'py', '-3' }
    else { 'python' }
)
$options = @($python | Select-Object -Skip 1)
if (-not (Get-Command $python[0] -ErrorAction SilentlyContinue)) { Fail 'please install Python 3.11 or later' }
& $python[0] @options -c 'import sys; sys.exit(sys.version_info < (3, 11))'
if ($LASTEXITCODE -ne 0) { Fail 'please install Python 3.11 or later' }

$sdk = if ($env:VULKAN_SDK) { Join-Path $env:VULKAN_SDK 'Bin' } else { '' }
$found = (Get-Command spirv-val -ErrorAction SilentlyContinue) -or ($sdk -and (Test-Path (Join-Path $sdk 'spirv-val.exe')))
if (-not $found) { [Console]::Error.WriteLine('bootstrap: SPIRV-Tools are missing; please install the Vulkan SDK') }

$scripts = Join-Path $PSScriptRoot '.venv\Scripts'
$complete = Join-Path $PSScriptRoot '.venv\.complete'
$wanted = (Get-FileHash pyproject.toml, setup.py | ForEach-Object Hash) -join ' '
$wanted = "$extras $wanted"
if (-not (Test-Path $complete) -or (Get-Content $complete) -ne $wanted) {
    [Console]::Error.WriteLine('bootstrap: installing Python packages into .venv')
    if (-not (Test-Path "$scripts\python.exe")) { & $python[0] @options -m venv .venv }
    if ($LASTEXITCODE -ne 0) { Fail 'python -m venv failed' }
    & "$scripts\python.exe" -m pip install -q --disable-pip-version-check -e ".[$extras]"
    if ($LASTEXITCODE -ne 0) { Fail 'pip failed' }
    Set-Content $complete $wanted
}

$env:PATH = "$scripts;$env:PATH"
if ($args.Count -eq 0) { exit 0 }
$rest = @($args | Select-Object -Skip 1)
& $args[0] @rest
exit $LASTEXITCODE
