"""It calls the tool by itself, and goes on."""

from google import genai
from google.genai.types import GenerateContentConfig, HttpOptions
from trial import API_KEY, EMBEDDING_MODEL, MODEL, QUESTION, TASK, TEXTS, URL, get_weather, tell

# What it lends out is of no use once nobody holds the client itself.
client = genai.Client(api_key=API_KEY, http_options=HttpOptions(base_url=URL))
models = client.models


def answer():
    return models.generate_content(model=MODEL, contents=QUESTION).text


def stream():
    return [chunk.text for chunk in models.generate_content_stream(model=MODEL, contents=QUESTION) if chunk.text]


def tool():
    return models.generate_content(model=MODEL, contents=TASK, config=GenerateContentConfig(tools=[get_weather])).text


def embeddings():
    return [[one.values for one in models.embed_content(model=EMBEDDING_MODEL, contents=TEXTS).embeddings]]


tell(answer=answer, stream=stream, tool=tool, embeddings=EMBEDDING_MODEL and embeddings)
