from anthropic import Anthropic
from trial import API_KEY, MODEL, QUESTION, TASK, URL, get_weather, tell

client = Anthropic(base_url=URL, api_key=API_KEY, max_retries=0)
schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
asked = {
    "model": MODEL,
    "max_tokens": 256,
    "tools": [{"name": "get_weather", "description": "The weather.", "input_schema": schema}],
}
question = [{"role": "user", "content": QUESTION}]


def answer():
    return client.messages.create(**asked, messages=question).content[0].text


def stream():
    with client.messages.stream(**asked, messages=question) as pieces:
        return list(pieces.text_stream)


def tool():
    messages = [{"role": "user", "content": TASK}]
    asks = client.messages.create(**asked, messages=messages).content
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": get_weather(**block.input)}
        for block in asks
        if block.type == "tool_use"
    ]
    messages += [{"role": "assistant", "content": asks}, {"role": "user", "content": results}]
    return client.messages.create(**asked, messages=messages).content[0].text


tell(answer=answer, stream=stream, tool=tool)
