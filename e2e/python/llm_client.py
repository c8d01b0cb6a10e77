"""Simon Willison's `llm`, whose models of other places stand in a file of its own."""

import json
import os
from pathlib import Path

from trial import API_KEY, MODEL, QUESTION, TASK, URL, get_weather, tell

folder = Path.home() / "llm"
folder.mkdir()
os.environ["LLM_USER_PATH"] = str(folder)
entry = {"model_id": "headgate", "model_name": MODEL, "api_base": f"{URL}/v1", "api_key_name": "headgate", "supports_tools": True}
# JSON is YAML as well.
(folder / "extra-openai-models.yaml").write_text(json.dumps([entry]))
# As `llm keys set headgate` does.
(folder / "keys.json").write_text(json.dumps({"headgate": API_KEY}))

import llm  # noqa: E402

model = llm.get_model("headgate")


def answer():
    return model.prompt(QUESTION, stream=False).text()


def stream():
    return [piece for piece in model.prompt(QUESTION, stream=True) if piece]


def tool():
    return model.chain(TASK, tools=[get_weather]).text()


tell(answer=answer, stream=stream, tool=tool)
