import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Json, object } from '@headgate/core/provider'
import { type Gateway, HeadgateError } from '@headgate/gateway'

const TASKS = 'http://headgate.local/api/v3/contents/generations/tasks'
/** How often it is asked how far a task is, in milliseconds. */
const PAUSE = 1_000
/** What the name of a file ends with that is not whole. */
const PART = '.part'

export interface VideoWish {
  readonly body: Json
  readonly vendor?: string | undefined
  readonly file: string
}

export interface VideoWatch {
  readonly signal: AbortSignal
  /** `progress` from 0 to 1, where it is known. */
  onState(state: string, progress: number | undefined): void
  /** What of the wish could not be carried. */
  onLost(fields: string): void
}

/** What the gateway says, in its caller's words. */
function failed(status: number, answer: Json): HeadgateError {
  const { message, code } = object(answer['error']) ?? {}
  return new HeadgateError(
    status < 500 ? 'invalid-request' : 'upstream',
    String(message ?? code ?? `The gateway answered with ${status}.`),
  )
}

async function asked(gateway: Gateway, path: string, init: RequestInit): Promise<{ answer: Json; headers: Headers }> {
  const response = await gateway.fetch(
    new Request(path, { ...init, headers: { authorization: 'Bearer command-line', ...init.headers } }),
  )
  const answer = object(await response.json()) ?? {}
  if (!response.ok) throw failed(response.status, answer)
  return { answer, headers: response.headers }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

/**
 * A file that is written beside, and takes its name when it is whole. @throws HeadgateError where it can not be
 * written.
 */
async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(`${file}${PART}`, 'w')
  } catch (error) {
    throw new HeadgateError('invalid-request', `${file} can not be written: ${reasonOf(error)}.`)
  }
}

/** Writes an answer to a file as it comes. @returns its size in bytes. */
async function save(response: Response, out: FileHandle, signal: AbortSignal): Promise<number> {
  if (!response.ok || !response.body)
    throw new HeadgateError('upstream', `The video can not be fetched: status ${response.status}.`)
  const stream = out.createWriteStream()
  try {
    await pipeline(response.body, stream, { signal })
  } catch (error) {
    if (signal.aborted) throw new HeadgateError('canceled', 'Stopped. The video is made: its task has it still.')
    throw new HeadgateError('upstream', `The video did not come whole, or can not be written: ${reasonOf(error)}.`)
  }
  return stream.bytesWritten
}

/**
 * Makes a video and writes it to a file. @returns its size in bytes. @throws HeadgateError for whatever keeps it from
 * that.
 */
export async function makeVideo(gateway: Gateway, wish: VideoWish, watch: VideoWatch): Promise<number> {
  // Before anything is paid for.
  const out = await openFile(wish.file)
  try {
    const response = await made(gateway, wish, watch)
    const size = await save(response, out, watch.signal)
    await rename(`${wish.file}${PART}`, wish.file)
    return size
  } finally {
    await out.close().catch(() => {})
    await rm(`${wish.file}${PART}`, { force: true })
  }
}

/** Resolves with the video of a task when that has ended well. */
async function made(
  gateway: Gateway,
  { body, vendor }: Omit<VideoWish, 'file'>,
  { signal, onState, onLost }: VideoWatch,
): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(vendor !== undefined && { vendor }) }
  const created = await asked(gateway, TASKS, { method: 'POST', headers, body: JSON.stringify(body) })
  const lost = created.headers.get('headgate-lost')
  if (lost !== null) onLost(lost)
  const id = String(created.answer['id'])
  for (;;) {
    const { answer } = await asked(gateway, `${TASKS}/${id}`, {})
    const { status, progress, content } = answer
    onState(String(status), typeof progress === 'number' ? progress : undefined)
    if (status === 'succeeded') {
      const url = String(object(content)?.['video_url'])
      return gateway.fetch(new Request(url, { signal }))
    }
    if (status !== 'queued' && status !== 'running')
      throw failed(400, { error: object(answer['error']) ?? { message: `The task is ${status}.` } })
    try {
      await sleep(PAUSE, undefined, { signal })
    } catch {
      throw new HeadgateError('canceled', `Stopped. The task ${id} goes on at its provider.`)
    }
  }
}
