"""The official SDK: its multipart writer, its readers of images, sound and transcripts."""

import base64
import io
import os
import struct

from openai import OpenAI

client = OpenAI(base_url=os.environ["HEADGATE_URL"] + "/v1", api_key=os.environ["HEADGATE_API_KEY"], max_retries=0)
MODEL = "demo"


def size_of(image):
    data = base64.b64decode(image.b64_json)
    assert data[:4] == b"\x89PNG", data[:4]
    return list(struct.unpack(">II", data[16:24]))


def say(**more):
    return client.audio.speech.create(model=MODEL, voice="alloy", input="How do you do?", response_format="wav", **more).read()


sound = say()
made = client.images.generate(model=MODEL, prompt="A fox.", size="1024x1536", n=2).data
file = ("fox.png", base64.b64decode(made[0].b64_json), "image/png")
edited = client.images.edit(model=MODEL, prompt="An owl.", image=[file, file], mask=file).data
with client.audio.speech.with_streaming_response.create(
    model=MODEL, voice="alloy", input="How do you do?", response_format="wav"
) as response:
    streamed = b"".join(response.iter_bytes())


def transcribe(**more):
    named = io.BytesIO(sound)
    named.name = "speech.wav"
    return client.audio.transcriptions.create(model=MODEL, file=named, **more)


verbose = transcribe(response_format="verbose_json", timestamp_granularities=["word", "segment"])
deltas = [event.delta for event in transcribe(stream=True) if event.type == "transcript.text.delta"]
moderated = client.moderations.create(model=MODEL, input=["A fox.", "I hate you."]).results

checks = {
    "images": [size_of(one) for one in made] == [[1024, 1536]] * 2,
    "edit": size_of(edited[0]) == [256, 256],
    "speech": sound[:4] == b"RIFF" and len(sound) == 44 + 40_320,
    "streamed speech": streamed == sound,
    "transcript": transcribe().text.startswith("Headgate demo"),
    "bytes without a name": client.audio.transcriptions.create(model=MODEL, file=sound).text != "",
    "text": transcribe(response_format="text").startswith("Headgate demo"),
    "srt": transcribe(response_format="srt").startswith("1\n00:00:00,000 --> "),
    "verbose": [verbose.duration, verbose.language, len(verbose.words), len(verbose.segments) > 0] == [0.84, "english", 12, True],
    "speakers": {one.speaker for one in transcribe(response_format="diarized_json").segments} == {"A", "B"},
    "translation": client.audio.translations.create(model=MODEL, file=("a.wav", sound)).text != "",
    "streamed transcript": "".join(deltas).startswith("Headgate demo"),
    "moderations": [one.flagged for one in moderated] == [False, True],
}
print("\n".join(name for name, passed in checks.items() if not passed))
