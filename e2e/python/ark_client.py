"""Volcengine Ark's SDK, with only its base URL changed: chat and embeddings."""

from trial import API_KEY, EMBEDDING_MODEL, MODEL, QUESTION, TEXTS, URL, tell
from volcenginesdkarkruntime import Ark

client = Ark(base_url=f"{URL}/api/v3", api_key=API_KEY, max_retries=0)
messages = [{"role": "user", "content": QUESTION}]


def answer():
    return client.chat.completions.create(model=MODEL, messages=messages).choices[0].message.content


def stream():
    chunks = client.chat.completions.create(model=MODEL, messages=messages, stream=True)
    pieces = [choice.delta.content for chunk in chunks for choice in chunk.choices]
    return [piece for piece in pieces if piece]


def embeddings():
    return [[one.embedding for one in client.embeddings.create(model=EMBEDDING_MODEL, input=TEXTS).data]]


tell(answer=answer, stream=stream, embeddings=embeddings if EMBEDDING_MODEL else None)
