import instructor
from pydantic import BaseModel
from trial import API_KEY, FORMAT, MODEL, TASK, URL, tell


def of_openai():
    from openai import OpenAI

    return instructor.from_openai(OpenAI(base_url=f"{URL}/v1", api_key=API_KEY, max_retries=0)), {}


def of_responses():
    from openai import OpenAI

    client = OpenAI(base_url=f"{URL}/v1", api_key=API_KEY, max_retries=0)
    return instructor.from_openai(client, mode=instructor.Mode.RESPONSES_TOOLS), {}


def of_anthropic():
    from anthropic import Anthropic

    return instructor.from_anthropic(Anthropic(base_url=URL, api_key=API_KEY, max_retries=0)), {"max_tokens": 256}


def of_google():
    from google import genai
    from google.genai.types import HttpOptions

    client = genai.Client(api_key=API_KEY, http_options=HttpOptions(base_url=URL))
    return instructor.from_genai(client, mode=instructor.Mode.GENAI_TOOLS), {}


client, settings = {
    "chat-completions": of_openai,
    "messages": of_anthropic,
    "generate-content": of_google,
    "responses": of_responses,
}[FORMAT]()
asked = {"model": MODEL, "messages": [{"role": "user", "content": TASK}], "max_retries": 1, **settings}


class Weather(BaseModel):
    """The weather in a city."""

    city: str
    degrees: int


def structured():
    """In one piece, and as the last of its parts."""
    whole = client.chat.completions.create(response_model=Weather, **asked).model_dump()
    parts = [part.model_dump() for part in client.chat.completions.create_partial(response_model=Weather, **asked)]
    return whole if parts[-1] == whole else parts


tell(object=structured)
