import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Json, object } from '@headgate/core/provider'
import { type Gateway, HeadgateError } from '@headgate/gateway'

const TASKS = 'http://headgate.local/api/v3/contents/generations/tasks'
/** Interval between status requests in milliseconds. */
const PAUSE = 1_000
/** Suffix of an incomplete file. */
const PART = '.part'

export interface VideoWish {
  readonly body: Json
  readonly vendor?: string | undefined
  readonly file: string
}

export interface VideoWatch {
  readonly signal: AbortSignal
  /** `progress` from 0 to 1; undefined if unknown. */
  onState(state: string, progress: number | undefined): void
  /** Called with the request fields that could not be sent to the provider. */
  onLost(fields: string): void
}

/** Error with the gateway's message. */
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

/** Opens a temporary file next to the final one. @throws HeadgateError if it cannot be written. */
async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(`${file}${PART}`, 'w')
  } catch (error) {
    throw new HeadgateError('invalid-request', `${file} cannot be written: ${reasonOf(error)}.`)
  }
}

/** Streams a response to a file. @returns its size in bytes. */
async function save(response: Response, out: FileHandle, signal: AbortSignal): Promise<number> {
  if (!response.ok || !response.body)
    throw new HeadgateError('upstream', `The video could not be downloaded: status ${response.status}.`)
  const stream = out.createWriteStream()
  try {
    await pipeline(response.body, stream, { signal })
  } catch (error) {
    if (signal.aborted)
      throw new HeadgateError('canceled', 'Stopped. The video is finished and still available from its task.')
    throw new HeadgateError(
      'upstream',
      `The video was not received completely, or could not be written: ${reasonOf(error)}.`,
    )
  }
  return stream.bytesWritten
}

/** Creates a video and writes it to a file. @returns its size in bytes. @throws HeadgateError if that fails. */
export async function makeVideo(gateway: Gateway, wish: VideoWish, watch: VideoWatch): Promise<number> {
  // The file is opened first, before the video costs anything.
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

/** Resolves with the video once its task has succeeded. */
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
      throw new HeadgateError('canceled', `Stopped. The task ${id} continues at its provider.`)
    }
  }
}
