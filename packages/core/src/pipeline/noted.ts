import { now, since } from '../clock.ts'
import { HeadgateError } from '../errors.ts'
import type { Subject } from '../routing/health.ts'
import type { Context } from './context.ts'

/** What a call tells of itself while it runs. */
export interface CallNote {
  /** HTTP status of the upstream's answer. */
  status: number | undefined
}

/** Runs one call of an upstream whose answer is read whole, and notes its attempt, whatever comes of it. */
export async function noted<T>(context: Context, { provider, model }: Subject, call: (note: CallNote) => Promise<T>): Promise<T> {
  const startedAt = Date.now()
  const begunAt = now()
  const note: CallNote = { status: undefined }
  const end = (failure?: unknown): void => {
    context.attempts.push({
      provider,
      model,
      startedAt,
      durationMs: since(begunAt),
      ...(note.status !== undefined && { status: note.status }),
      ...(failure !== undefined && { failure: HeadgateError.is(failure) ? failure.kind : 'internal' }),
    })
  }
  try {
    const out = await call(note)
    end()
    return out
  } catch (error) {
    end(error)
    throw error
  }
}
