"""`hlsl2spirv`, also as `python -m hlsl_tool.hlsl2spirv`.

The module imports nothing before Ctrl-C is answered: Python would show a traceback of the imports.
"""


def main() -> None:
    """Run the command line of the process, and exit."""
    try:
        from hlsl_tool.apps.server.client import main

        main()
    except KeyboardInterrupt:
        from hlsl_tool.base.system.streams import finish, interrupted

        finish(*interrupted("hlsl2spirv"))


if __name__ == "__main__":
    main()
