"""What the adapter supports of the protocol."""

from __future__ import annotations

from typing import Any

CAPABILITIES: dict[str, Any] = {
    "supportsConfigurationDoneRequest": True,
    "supportsFunctionBreakpoints": True,
    "supportsConditionalBreakpoints": True,
    "supportsHitConditionalBreakpoints": True,
    "supportsLogPoints": True,
    "supportsEvaluateForHovers": True,
    "supportsDataBreakpoints": True,
    "supportsStepBack": True,
    "supportsTerminateRequest": True,
    "supportsRestartRequest": True,
    "supportsDelayedStackTraceLoading": True,
    "supportsBreakpointLocationsRequest": True,
    "supportsExceptionInfoRequest": True,
    "supportTerminateDebuggee": False,
    "supportsClipboardContext": True,
    "exceptionBreakpointFilters": [
        {
            "filter": "findings",
            "label": "Findings of the sanitizer",
            "description": "Stop at races, indices outside of arrays and so on; needs `check` in the configuration",
            "default": True,
        }
    ],
}
