"""The official SDK of Volcengine Ark, with only its base URL changed: creates tasks, polls, lists, cancels and deletes. Prints what came of it."""

import asyncio
import json
import os
import time

import httpx
from volcenginesdkarkruntime import Ark, AsyncArk
from volcenginesdkarkruntime._exceptions import ArkAuthenticationError, ArkBadRequestError, ArkConflictError, ArkNotFoundError

base_url = os.environ["HEADGATE_URL"] + "/api/v3"
api_key = os.environ["HEADGATE_API_KEY"]
model = os.environ["MODEL"]
client = Ark(base_url=base_url, api_key=api_key, max_retries=0)
tasks = client.content_generation.tasks
FINAL = {"succeeded", "failed", "cancelled", "expired"}
BOUND = 60
EVERY = 0.2


def create(text, **fields):
    return tasks.create(model=model, content=[{"type": "text", "text": text}], **fields).id


def poll(task_id, states=FINAL):
    end = time.monotonic() + BOUND
    seen = []
    while time.monotonic() < end:
        task = tasks.get(task_id=task_id)
        if not seen or seen[-1] != task.status:
            seen.append(task.status)
        if task.status in states:
            return task, seen
        time.sleep(EVERY)
    raise TimeoutError(f"{task_id}: {seen}")


def refused(kind, call):
    try:
        call()
    except kind as error:
        return [error.status_code, error.body["code"] if isinstance(error.body, dict) and "code" in error.body else str(error.body)]
    return None


async def created_async():
    async with AsyncArk(base_url=base_url, api_key=api_key, max_retries=0) as other:
        made = await other.content_generation.tasks.create(model=model, content=[{"type": "text", "text": "demo:queue"}])
        task = await other.content_generation.tasks.get(task_id=made.id)
        await other.content_generation.tasks.delete(task_id=made.id)
        return task.status


made = create("a cat surfing", ratio="1:1", duration=2, seed=7, watermark=False)
failing = create("demo:fail", duration=1)
waiting = create("demo:queue")
hanging = create("demo:hang", duration=1)
task, seen = poll(made)
failed, _ = poll(failing)
poll(hanging, {"running"})
running = refused(ArkConflictError, lambda: tasks.delete(task_id=hanging))
video = httpx.get(task.content.video_url).content
tasks.delete(task_id=waiting)
listed = tasks.list(status="succeeded", model=model, task_ids=[made, failing], page_num=1, page_size=10)
failures = tasks.list(status="failed", task_ids=failing)
every = tasks.list()
tasks.delete(task_id=made)
print(
    json.dumps(
        {
            "seen": [seen == [state for state in ("queued", "running", "succeeded") if state in seen], seen[-1]],
            "task": [task.id == made, task.model, task.ratio, task.duration, task.seed, isinstance(task.created_at, int)],
            "video": video[4:8].decode(),
            "failed": failed.error.code,
            "cancelled": tasks.get(task_id=waiting).status,
            "listed": [listed.total, [one.id == made for one in listed.items]],
            "failures": [one.error.code for one in failures.items],
            "all": every.total,
            "running": running,
            "deleted": refused(ArkNotFoundError, lambda: tasks.get(task_id=made)),
            "invalid": refused(ArkBadRequestError, lambda: create("a cat", duration=9999)),
            "model": refused(
                ArkBadRequestError, lambda: tasks.create(model="no-such-model", content=[{"type": "text", "text": "a cat"}])
            ),
            "key": refused(ArkAuthenticationError, lambda: Ark(base_url=base_url, api_key="no-key").content_generation.tasks.list()),
            "async": asyncio.run(created_async()),
        }
    )
)
