"""The official SDK, which asks for base64 where nobody names an encoding."""

import json

from openai import OpenAI
from trial import API_KEY, EMBEDDING_MODEL, MODEL, QUESTION, TASK, TEXTS, URL, get_weather, tell

client = OpenAI(base_url=f"{URL}/v1", api_key=API_KEY, max_retries=0)
question = [{"role": "user", "content": QUESTION}]
parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
tools = [{"type": "function", "function": {"name": "get_weather", "description": "The weather.", "parameters": parameters}}]


def answer():
    return client.chat.completions.create(model=MODEL, messages=question).choices[0].message.content


def stream():
    chunks = client.chat.completions.create(model=MODEL, messages=question, stream=True)
    return [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]


def tool():
    messages = [{"role": "user", "content": TASK}]
    asks = client.chat.completions.create(model=MODEL, messages=messages, tools=tools).choices[0].message
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": get_weather(**json.loads(call.function.arguments))}
        for call in asks.tool_calls
    ]
    answered = client.chat.completions.create(model=MODEL, messages=[*messages, asks, *results], tools=tools)
    return answered.choices[0].message.content


def embeddings():
    given = client.embeddings.create(model=EMBEDDING_MODEL, input=TEXTS)
    floats = client.embeddings.create(model=EMBEDDING_MODEL, input=TEXTS, encoding_format="float")
    return [[one.embedding for one in answer.data] for answer in (given, floats)]


tell(answer=answer, stream=stream, tool=tool, embeddings=EMBEDDING_MODEL and embeddings)
