"""The fingerprint is what the test says, not that of a compiler that is being worked on."""

import os


def fingerprint(spirv_tools=""):
    return os.environ.get("FAKE_FINGERPRINT", "fake 1")


fingerprint_now = fingerprint


def still_holds(known, spirv_tools=""):
    return True
