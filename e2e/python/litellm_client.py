"""LiteLLM as a library, by the provider whose format is asked for."""

import json

import litellm
from trial import API_KEY, EMBEDDING_MODEL, FORMAT, MODEL, QUESTION, TASK, TEXTS, URL, get_weather, tell

prefix, base = {
    "chat-completions": ("openai", f"{URL}/v1"),
    "messages": ("anthropic", URL),
    "generate-content": ("gemini", f"{URL}/v1beta"),
    "responses": ("openai", f"{URL}/v1"),
}[FORMAT]
# Of models that it knows to chat, the prefix `openai/responses/` has no such effect.
litellm.route_all_chat_openai_to_responses = FORMAT == "responses"
place = {"api_base": base, "api_key": API_KEY, "num_retries": 0}
asked = {"model": f"{prefix}/{MODEL}", **place}
question = [{"role": "user", "content": QUESTION}]
parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
tools = [{"type": "function", "function": {"name": "get_weather", "description": "The weather.", "parameters": parameters}}]


def answer():
    return litellm.completion(messages=question, **asked).choices[0].message.content


def stream():
    chunks = litellm.completion(messages=question, stream=True, **asked)
    return [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]


def tool():
    messages = [{"role": "user", "content": TASK}]
    asks = litellm.completion(messages=messages, tools=tools, **asked).choices[0].message
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": get_weather(**json.loads(call.function.arguments))}
        for call in asks.tool_calls
    ]
    return litellm.completion(messages=[*messages, asks, *results], tools=tools, **asked).choices[0].message.content


def embeddings():
    answer = litellm.embedding(model=f"openai/{EMBEDDING_MODEL}", input=TEXTS, encoding_format="float", **place)
    return [[one["embedding"] for one in answer.data]]


tell(
    answer=answer,
    stream=stream,
    tool=tool,
    embeddings=EMBEDDING_MODEL and FORMAT == "chat-completions" and embeddings,
)
