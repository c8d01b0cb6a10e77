import asyncio

from pydantic import BaseModel
from pydantic_ai import Agent
from trial import API_KEY, FORMAT, MODEL, QUESTION, TASK, URL, get_weather, tell


def of_openai():
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=f"{URL}/v1", api_key=API_KEY))


def of_responses():
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIResponsesModel(MODEL, provider=OpenAIProvider(base_url=f"{URL}/v1", api_key=API_KEY))


def of_anthropic():
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return AnthropicModel(MODEL, provider=AnthropicProvider(base_url=URL, api_key=API_KEY))


def of_google():
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel(MODEL, provider=GoogleProvider(base_url=URL, api_key=API_KEY))


model = {
    "chat-completions": of_openai,
    "messages": of_anthropic,
    "generate-content": of_google,
    "responses": of_responses,
}[FORMAT]()


class Weather(BaseModel):
    """The weather in a city."""

    city: str
    degrees: int


def answer():
    return Agent(model).run_sync(QUESTION).output


async def streamed():
    async with Agent(model).run_stream(QUESTION) as result:
        return [piece async for piece in result.stream_text(delta=True, debounce_by=None)]


def tool():
    return Agent(model, tools=[get_weather]).run_sync(TASK).output


def structured():
    return Agent(model, output_type=Weather).run_sync(TASK).output.model_dump()


tell(answer=answer, stream=lambda: asyncio.run(streamed()), tool=tool, object=structured)
