import { HeadgateError, invalid } from '@headgate/core/errors'
import { background, responses } from '@headgate/core/formats'
import { offStop, onStop } from '../../../edge/stop.ts'
import type { KeptAnswer } from '../../../ports/answers.ts'
import type { Kept } from '../../../serve/answers/answers.ts'
import { answerHead, type Context } from '../../../serve/context.ts'
import type { Core } from '../../../serve/core.ts'
import { asItIs, type BackgroundRuns, STREAMED } from './background.ts'
import { createRecording, type Recording } from './recording.ts'

/** How often a response that another process makes is looked up, in milliseconds. */
const LOOK_MS = 1_000

/** Number of the last event that the caller has; -1 if it has none. @throws HeadgateError `invalid-request`. */
function startOf(query: URLSearchParams): number {
  const given = query.get('starting_after')
  if (given === null) return -1
  const after = Number(given)
  if (/^\d+$/.test(given) && Number.isSafeInteger(after)) return after
  throw invalid(
    'starting_after',
    'starting_after must be a whole number from 0: the sequence_number of the last event that you received.',
  )
}

/**
 * Sends the events of a response that was created with `background` and `stream`, from any number. If another process
 * makes it, they come once it has ended.
 *
 * @see https://platform.openai.com/docs/guides/background#streaming-a-background-response
 * @throws HeadgateError `invalid-request` for other responses.
 */
export async function resumeStream(
  core: Core,
  runs: BackgroundRuns,
  context: Context,
  { id }: KeptAnswer,
  query: URLSearchParams,
  look: () => Promise<Kept>,
): Promise<void> {
  const after = startOf(query)
  const kept = await look()
  if (kept.events === undefined)
    throw invalid(
      'stream',
      `The response ${id} was not created with background and stream, so it has no events. Leave stream out.`,
    )
  const { sink } = context
  answerHead(context, 200, { ...STREAMED })
  // Nothing may be due for long, and the head goes out with the first bytes.
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

/** A response once it has ended, which another process may make. Undefined if the caller left before. */
async function ended(context: Context, first: Kept, look: () => Promise<Kept>): Promise<Kept | undefined> {
  let kept = first
  while (background.isOpen(asItIs(kept, background))) {
    await pause(context)
    if (context.stopped) return undefined
    kept = await look()
  }
  return kept
}

/**
 * Sends the events of a response that has ended. Those of a process that ended before it are lost: the last two tell
 * so.
 */
function sendEvents(context: Context, kept: Kept, after: number): Promise<void> | undefined {
  if (!kept.events) {
    const error = new HeadgateError(
      'internal',
      'The process that made this response has ended, and its events with it.',
    )
    context.sink.end(background.failed(asItIs(kept, background), error, after + 1))
    return undefined
  }
  const recording = createRecording(() => {})
  recording.add(kept.events)
  recording.finish()
  return readAll(context, recording, after)
}

/** Waits until it is time to look again, or the caller leaves. */
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
