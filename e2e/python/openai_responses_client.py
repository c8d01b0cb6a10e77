"""The official SDK, with the responses API that it puts first."""

import json
import time

from openai import OpenAI
from pydantic import BaseModel
from trial import API_KEY, MODEL, QUESTION, TASK, URL, get_weather, tell

client = OpenAI(base_url=f"{URL}/v1", api_key=API_KEY, max_retries=0)
parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
tools = [{"type": "function", "name": "get_weather", "description": "The weather.", "parameters": parameters}]


class Weather(BaseModel):
    """The weather in a city."""

    city: str
    degrees: int


def answer():
    """The same at once and in the background."""
    whole = client.responses.create(model=MODEL, input=QUESTION).output_text
    later = client.responses.create(model=MODEL, input=QUESTION, background=True)
    until = time.monotonic() + 20
    while later.status in ("queued", "in_progress") and time.monotonic() < until:
        time.sleep(0.05)
        later = client.responses.retrieve(later.id)
    return whole if later.output_text == whole else [whole, later.status, later.output_text]


def stream():
    with client.responses.stream(model=MODEL, input=QUESTION) as events:
        pieces = [event.delta for event in events if event.type == "response.output_text.delta"]
        return pieces if events.get_final_response().output_text == "".join(pieces) else None


def results_of(response):
    calls = [item for item in response.output if item.type == "function_call"]
    outputs = [get_weather(**json.loads(call.arguments)) for call in calls]
    return [
        {"type": "function_call_output", "call_id": call.call_id, "output": output} for call, output in zip(calls, outputs)
    ]


def tool():
    """The answer before is sent back, and then named by its id."""
    asked = [{"role": "user", "content": TASK}]
    asks = client.responses.create(model=MODEL, input=asked, tools=tools)
    results = results_of(asks)
    named = client.responses.create(model=MODEL, input=results, previous_response_id=asks.id, tools=tools).output_text
    sent = client.responses.create(model=MODEL, input=[*asked, *asks.output, *results], tools=tools).output_text
    return sent if sent == named else [sent, named]


def structured():
    return client.responses.parse(model=MODEL, input=TASK, text_format=Weather).output_parsed.model_dump()


tell(answer=answer, stream=stream, tool=tool, object=structured)
