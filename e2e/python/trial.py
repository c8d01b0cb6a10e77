"""What the scripts of this folder are asked to do, and how they tell what came of it: one line of JSON."""

import json
import os

GIVEN = json.loads(os.environ["TRIAL"])
URL, API_KEY, MODEL = GIVEN["url"], GIVEN["apiKey"], GIVEN["model"]
EMBEDDING_MODEL = GIVEN.get("embeddingModel")
QUESTION, TASK, TEXTS = GIVEN["question"], GIVEN["task"], GIVEN["texts"]
FORMAT = GIVEN["format"]


def get_weather(city: str) -> str:
    """Tells the weather in a city.

    Args:
        city: The name of the city.
    """
    return f"17 degrees in {city}"


def tell(**checks):
    """Does one after the other. What one raises is its result; one that is None is not done."""
    results = {name: result_of(check) for name, check in checks.items() if check}
    print(json.dumps(results))


def result_of(check):
    try:
        return {"value": check()}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
