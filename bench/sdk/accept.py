"""Holds what `toolpost run --reply` and `toolpost tools list --dialect` print against the types of
the official Python SDKs.

    pip install anthropic openai google-genai mcp
    python3 bench/sdk/accept.py TOOLPOST CALLS

TOOLPOST is the binary, CALLS a folder with one file of messages for each form. Run it in the
project's root. It prints a line for each form and exits with 1 when a type refuses something.
"""

import json
import subprocess
import sys
from pathlib import Path

from pydantic import TypeAdapter


def lines(*command):
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode not in (0, 10, 11, 13):
        raise SystemExit(f"{command}: exit {ran.returncode}\n{ran.stderr}")
    return [json.loads(line) for line in ran.stdout.splitlines()]


def check(kind, value):
    # The adapter must outlive the walk: its lazy parts refer to it.
    adapter = TypeAdapter(kind)
    exhaust(adapter.validate_python(value))


def exhaust(value):
    """Iterables are validated only when they are walked through."""
    if isinstance(value, dict):
        return {key: exhaust(inner) for key, inner in value.items()}
    if isinstance(value, (str, bytes, int, float, bool)) or value is None:
        return value
    if hasattr(value, "__iter__"):
        return [exhaust(inner) for inner in value]
    return value


def anthropic(message, replies, tools):
    from anthropic.types import MessageParam, ToolParam

    check(list[MessageParam], [message, *replies])
    check(list[ToolParam], tools)


def openai(message, replies, tools):
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam

    check(list[ChatCompletionMessageParam], [message, *replies])
    check(list[ChatCompletionToolParam], tools)


def responses(item, replies, tools):
    from openai.types.responses.response_input_item_param import FunctionCallOutput

    # The union of all items takes too much, so the item's own type is asked.
    check(list[FunctionCallOutput], replies)
    assert all(reply.get("call_id") for reply in replies)


def gemini(content, replies, tools):
    from google.genai import types

    for one in (content, *replies):
        types.Content.model_validate(one)
    types.Tool.model_validate({"functionDeclarations": tools})


def mcp(request, replies, tools):
    from mcp import types

    for reply in replies:
        types.CallToolResult.model_validate(reply["result"])
    types.ListToolsResult.model_validate({"tools": tools, "ttlMs": 0, "cacheScope": "private", "resultType": "complete"})


FORMS = {
    "anthropic": ("anthropic", anthropic),
    "openai": ("openai", openai),
    "openai-responses": ("openai-strict", responses),
    "gemini": ("gemini", gemini),
    "mcp": ("mcp", mcp),
}


def main():
    toolpost, calls = sys.argv[1:3]
    failed = False
    for name, (dialect, accept) in FORMS.items():
        file = Path(calls) / f"{name}.jsonl"
        replies = lines(toolpost, "run", str(file), "--reply")
        tools = lines(toolpost, "tools", "list", "--json", "--dialect", dialect)
        message = json.loads(file.read_text().splitlines()[0])
        try:
            accept(message, replies, tools)
            print(f"{name}: {len(replies)} answers and {len(tools)} definitions accepted")
        except Exception as error:  # a refusal of whatever kind is what is looked for
            failed = True
            print(f"{name}: refused: {error}")
    sys.exit(failed)


main()
