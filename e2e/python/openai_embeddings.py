"""The official SDK, which asks for base64 where nobody names an encoding."""

import json
import os

from openai import OpenAI

client = OpenAI(base_url=os.environ["HEADGATE_URL"] + "/v1", api_key=os.environ["HEADGATE_API_KEY"], max_retries=0)
texts = json.loads(os.environ["TEXTS"])
given = client.embeddings.create(model=os.environ["MODEL"], input=texts)
floats = client.embeddings.create(model=os.environ["MODEL"], input=texts, encoding_format="float")
for answer in (given, floats):
    print(json.dumps([one.embedding for one in answer.data]))
