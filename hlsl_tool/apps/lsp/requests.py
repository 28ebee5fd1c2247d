"""Requests that need analyses of several shaders, or that are also answered in YAML configurations."""

from __future__ import annotations

from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.features import completion as shader_completion
from hlsl_tool.apps.lsp.features import hover as shader_hover
from hlsl_tool.apps.lsp.features import navigation, yaml_files
from hlsl_tool.apps.lsp.features import rename as renaming
from hlsl_tool.apps.lsp.session import Session, path_of_uri, uri_of_path
from hlsl_tool.apps.lsp.source.analysis import Analysis
from hlsl_tool.apps.lsp.source.cursor import cursor_at
from hlsl_tool.apps.lsp.source.occurrences import places_of
from hlsl_tool.apps.lsp.source.references import LOCALS
from hlsl_tool.apps.lsp.source.text import offset_of, range_of


def hover(session: Session, params: lsp.HoverParams) -> lsp.Hover | None:
    """Return the description of the name at a position, in a shader or a configuration."""
    path = path_of_uri(params.text_document.uri)
    if session.workspace.is_configuration(path):
        file = session.documents.source(path)
        workspace = session.workspace
        if file is None:
            return None
        if workspace.is_stale:
            workspace.load()
        return yaml_files.hover(workspace.project, workspace.shown(path), file, params.position)
    result = session.analysis(path)
    return shader_hover.hover(*result, params.position) if result is not None else None


def completion(session: Session, params: lsp.CompletionParams) -> list[lsp.CompletionItem] | None:
    """Return the completion items for a position in a shader or a configuration."""
    path = path_of_uri(params.text_document.uri)
    file = session.documents.source(path)
    if file is None:
        return None
    if session.workspace.is_configuration(path):
        return yaml_files.completion(path, file, params.position)
    return shader_completion.completion(session.analyser, session.target(path), file, params.position)


def references(session: Session, params: lsp.ReferenceParams) -> list[lsp.Location] | None:
    """Return all references to the declaration at a position, in all shaders that read its file."""
    result = session.analysis(path_of_uri(params.text_document.uri))
    if result is None:
        return None
    analysis, file = result
    cursor = cursor_at(analysis, file, offset_of(file, params.position))
    if not cursor.declarations or cursor.is_inactive:
        return []
    places = places_of(analysis, cursor.declarations)
    analyses = [analysis]
    if cursor.declarations[0].kind not in LOCALS:
        for path in dict.fromkeys(place.path for place in places):
            analyses += _complete(session, path)
    return navigation.references(
        analyses, cursor.word, places, uri_of_path, with_declaration=params.context.include_declaration
    )


def _complete(session: Session, path: str) -> list[Analysis]:
    """Return the analyses of all shaders that read a file; log it if time did not suffice for all."""
    analyses = []
    for analysis in session.related(path):
        if analysis is None:
            session.log("hlsl_tool: not all shaders were searched: there are too many")
        else:
            analyses.append(analysis)
    return analyses


def prepare_rename(session: Session, params: lsp.PrepareRenameParams) -> lsp.Range | renaming.Refused | None:
    """Return the range of the name to rename, or the reason why it cannot be renamed."""
    result = session.analysis(path_of_uri(params.text_document.uri))
    if result is None:
        return None
    try:
        return renaming.renamed_range(*result, params.position)
    except renaming.Refused as refusal:
        return refusal


def rename(session: Session, params: lsp.RenameParams) -> lsp.WorkspaceEdit | renaming.Refused | None:
    """Return the edits of a rename, or the reason why the rename would be wrong."""
    result = session.analysis(path_of_uri(params.text_document.uri))
    if result is None:
        return None

    def related(path: str) -> list[Analysis]:
        analyses = list(session.related(path))
        if None in analyses:
            raise renaming.Refused("too many shaders include the file to check them all")
        return [analysis for analysis in analyses if analysis is not None]

    try:
        edits = renaming.rename(*result, params.position, params.new_name, related, session.entries())
    except renaming.Refused as refusal:
        return refusal
    changes: dict[str, list[lsp.TextEdit]] = {}
    for path, spans in edits.items():
        file = session.documents.source(path)
        if file is not None:
            changes[uri_of_path(path)] = [
                lsp.TextEdit(range_of(file, start, end), params.new_name) for start, end in sorted(spans)
            ]
    return lsp.WorkspaceEdit(changes=changes)
