"""`hlsl_tool`, also as `python -m hlsl_tool`. As in `hlsl2spirv`, Ctrl-C is answered before anything is imported."""


def main() -> None:
    """Run the command line of the process, and exit."""
    try:
        from hlsl_tool.cli.__main__ import main

        main()
    except KeyboardInterrupt:
        from hlsl_tool.base.system.streams import finish, interrupted

        finish(*interrupted("hlsl_tool"))


def _leave_folder() -> None:
    """Remove the current folder from the path, where `-m` puts it first: it may have a `struct.py` of the project."""
    import os
    import sys

    try:
        if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
            del sys.path[0]
    except FileNotFoundError:  # the current folder was removed: it holds no module
        pass


if __name__ == "__main__":
    _leave_folder()
    main()
