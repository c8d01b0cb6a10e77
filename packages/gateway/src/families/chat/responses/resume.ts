import { HeadgateError, invalid } from '@headgate/core/errors'
import { background, responses } from '@headgate/core/formats'
import { offStop, onStop } from '../../../edge/stop.ts'
import type { StoredResponse } from '../../../ports/responses.ts'
import { type Context, sendHead } from '../../../serve/context.ts'
import type { Core } from '../../../serve/core.ts'
import type { ResponseContent } from '../../../serve/responses/responses.ts'
import { type BackgroundRuns, currentState, STREAMED } from './background.ts'
import { createRecording, type Recording } from './recording.ts'

/** Interval of looking up a response of another process, in milliseconds. */
const LOOK_MS = 1_000

/** Number of the caller's last event; -1 = none. @throws HeadgateError `invalid-request` */
function startOf(query: URLSearchParams): number {
  const given = query.get('starting_after')
  if (given === null) return -1
  const after = Number(given)
  if (/^\d+$/.test(given) && Number.isSafeInteger(after)) return after
  throw invalid(
    'starting_after',
    'starting_after must be the sequence_number of the last event that you received, a whole number of at least 0.',
  )
}

/**
 * Streams the events of a response that was created with `background` and `stream`, from any number. If another process
 * creates it, they arrive after it has ended.
 * @see https://platform.openai.com/docs/guides/background#streaming-a-background-response
 * @throws HeadgateError `invalid-request` for other responses.
 */
export async function resumeStream(
  core: Core,
  runs: BackgroundRuns,
  context: Context,
  { id }: StoredResponse,
  query: URLSearchParams,
  look: () => Promise<ResponseContent>,
): Promise<void> {
  const after = startOf(query)
  const kept = await look()
  if (kept.events === undefined)
    throw invalid(
      'stream',
      `The response ${id} was not created with background and stream, so it has no events. Remove stream.`,
    )
  const { sink } = context
  sendHead(context, 200, { ...STREAMED })
  // The head is sent with the first bytes, and the next event may take long.
  sink.write(responses.ping)
  const ping = setInterval(() => sink.write(responses.ping), core.times.ping)
  try {
    const recording = runs.get(id)?.recording
    if (recording) await readAll(context, recording, after)
    else {
      const over = await ended(context, kept, look)
      if (over) await sendEvents(context, over, after)
    }
  } finally {
    clearInterval(ping)
  }
}

function readAll(context: Context, recording: Recording, after: number): Promise<void> {
  return new Promise((resolve) => {
    const leave = recording.read(context.sink, after, resolve)
    onStop(context, leave)
    if (context.stopped) leave()
  })
}

/** Waits until a response ends, also in another process. Undefined if the caller leaves first. */
async function ended(
  context: Context,
  first: ResponseContent,
  look: () => Promise<ResponseContent>,
): Promise<ResponseContent | undefined> {
  let kept = first
  while (background.isOpen(currentState(kept, background))) {
    await pause(context)
    if (context.stopped) return undefined
    kept = await look()
  }
  return kept
}

/**
 * Sends the events of a response that has ended. If its process ended early, the events are lost, and the last two
 * events report that.
 */
function sendEvents(context: Context, kept: ResponseContent, after: number): Promise<void> | undefined {
  if (!kept.events) {
    const error = new HeadgateError(
      'internal',
      'The process that created this response has ended, and its events are lost.',
    )
    context.sink.end(background.failed(currentState(kept, background), error, after + 1))
    return undefined
  }
  const recording = createRecording(() => {})
  recording.add(kept.events)
  recording.finish()
  return readAll(context, recording, after)
}

/** Waits until the next lookup, or until the caller leaves. */
function pause(context: Context): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, LOOK_MS)
    function done(): void {
      clearTimeout(timer)
      offStop(context, done)
      resolve()
    }
    onStop(context, done)
  })
}
