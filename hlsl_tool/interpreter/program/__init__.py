"""Modules translated to steps: functions, control flow, constants."""
