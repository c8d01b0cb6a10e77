"""LangChain, which splits by itself. Without `check_embedding_ctx_length=False` it sends tokens, which only some providers take."""

import json
import os

from langchain_openai import OpenAIEmbeddings

embeddings = OpenAIEmbeddings(
    model=os.environ["MODEL"],
    base_url=os.environ["HEADGATE_URL"] + "/v1",
    api_key=os.environ["HEADGATE_API_KEY"],
    check_embedding_ctx_length=False,
    chunk_size=2,
    max_retries=0,
)
texts = json.loads(os.environ["TEXTS"])
print(json.dumps(embeddings.embed_documents(texts)))
print(json.dumps([embeddings.embed_query(text) for text in texts]))
