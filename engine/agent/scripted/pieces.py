"""A message cut into the pieces that a provider would stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk

_WORD = re.compile(r"\s*\S+\s*?(?=\s|$)|\s+")


def pieces_of(message: AIMessage, fail: Exception | None) -> Iterator[ChatGenerationChunk]:
    """The message in pieces that add up to it: words, tool call pieces, usage last."""
    if isinstance(message.content, str):
        for word in _WORD.findall(message.content):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
    else:
        for block in message.content:
            if isinstance(block, dict) and block.get("type") == "text":
                for word in _WORD.findall(block["text"]):
                    yield ChatGenerationChunk(message=AIMessageChunk(content=[{**block, "text": word}]))
            else:
                yield ChatGenerationChunk(message=AIMessageChunk(content=[block]))
    if fail is not None:
        raise fail
    for index, call in enumerate(message.tool_calls):
        args = json.dumps(call["args"], ensure_ascii=False)
        opening = tool_call_chunk(name=call["name"], args="", id=call["id"], index=index)
        yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[opening]))
        for start in range(0, len(args), 64):
            piece = tool_call_chunk(args=args[start : start + 64], index=index)
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[piece]))
    yield ChatGenerationChunk(
        message=AIMessageChunk(
            content="",
            response_metadata=message.response_metadata,
            usage_metadata=message.usage_metadata,
            chunk_position="last",
        )
    )
