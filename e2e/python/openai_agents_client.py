"""The agents' SDK, with the format that is asked for: by default it asks the responses API."""

import asyncio

from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from openai.types.responses import ResponseTextDeltaEvent
from trial import API_KEY, FORMAT, MODEL, QUESTION, TASK, URL, get_weather, tell

set_tracing_disabled(True)
client = AsyncOpenAI(base_url=f"{URL}/v1", api_key=API_KEY, max_retries=0)

model = {"chat-completions": OpenAIChatCompletionsModel, "responses": OpenAIResponsesModel}[FORMAT]


def agent(*tools):
    return Agent(name="Helper", model=model(model=MODEL, openai_client=client), tools=list(tools))


async def run(agent, prompt):
    return (await Runner.run(agent, prompt)).final_output


async def streamed():
    events = Runner.run_streamed(agent(), QUESTION).stream_events()
    deltas = [event.data async for event in events if event.type == "raw_response_event"]
    return [delta.delta for delta in deltas if isinstance(delta, ResponseTextDeltaEvent)]


async def all_of_it():
    """In one event loop: the client's connections belong to it."""
    results = {}
    for name, check in {
        "answer": lambda: run(agent(), QUESTION),
        "stream": streamed,
        "tool": lambda: run(agent(function_tool(get_weather)), TASK),
    }.items():
        results[name] = await asyncio.gather(check(), return_exceptions=True)
    return results


def value_of(result):
    if isinstance(result[0], BaseException):
        raise result[0]
    return result[0]


done = asyncio.run(all_of_it())
tell(**{name: lambda result=result: value_of(result) for name, result in done.items()})
