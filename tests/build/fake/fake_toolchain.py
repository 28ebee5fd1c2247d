"""A toolchain fingerprint that the test sets, so that edits of the real compiler do not change it."""

import os


def fingerprint(spirv_tools=""):
    return os.environ.get("FAKE_FINGERPRINT", "fake 1")


fingerprint_now = fingerprint


def still_holds(known, spirv_tools=""):
    return True
