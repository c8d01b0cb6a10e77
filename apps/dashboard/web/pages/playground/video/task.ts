import { isRecord, listOf, textOf } from '../wire/call.ts'

export const TASKS = 'api/v3/contents/generations/tasks'

/** Task that creates a video. */
export interface PlaygroundTask {
  readonly id: string
  readonly model: string
  readonly status: string
  /** Progress from 0 to 1, if the provider reports it. */
  readonly progress: number | undefined
  readonly video: string
  readonly error: string
  /** Unix milliseconds; undefined = unknown. */
  readonly createdAt: number | undefined
}

const FINAL: readonly string[] = ['succeeded', 'failed', 'cancelled', 'expired']

export function isOver({ status }: PlaygroundTask): boolean {
  return FINAL.includes(status)
}

export function taskOf(answer: unknown): PlaygroundTask | undefined {
  if (!isRecord(answer) || textOf(answer['id']) === '') return undefined
  const { progress, content, error, created_at: at } = answer
  return {
    id: textOf(answer['id']),
    model: textOf(answer['model']),
    status: textOf(answer['status']),
    progress: typeof progress === 'number' && progress >= 0 && progress <= 1 ? progress : undefined,
    video: isRecord(content) ? textOf(content['video_url']) : '',
    error: isRecord(error)
      ? [textOf(error['code']), textOf(error['message'])].filter((text) => text !== '').join(': ')
      : '',
    createdAt: typeof at === 'number' ? at * 1_000 : undefined,
  }
}

export function tasksOf(answer: unknown): readonly PlaygroundTask[] {
  return listOf(isRecord(answer) ? answer['items'] : undefined).flatMap((one) => taskOf(one) ?? [])
}

/**
 * URL from which the page plays a video. Links to the gateway are rewritten to the address of the page. Undefined for
 * videos on other hosts.
 * @param gateway base URL of the gateway, without a trailing slash
 */
export function ownAddress(video: string, gateway: string): string | undefined {
  if (!URL.canParse(video, gateway)) return undefined
  const { protocol, pathname, search } = new URL(video, gateway)
  if (protocol !== 'http:' && protocol !== 'https:') return undefined
  const start = pathname.indexOf(`/${TASKS}/`)
  const isOwn = start === 0 || (start > 0 && gateway.endsWith(pathname.slice(0, start)))
  return isOwn && pathname.endsWith('/content') ? `${gateway}${pathname.slice(start)}${search}` : undefined
}

export interface VideoDraft {
  readonly prompt: string
  readonly ratio: string
  readonly resolution: string
  readonly duration: string
  readonly seed: string
  /** First frame, as a data URL. */
  readonly image: string
}

/** Body of the request that creates a task. */
export function taskBody(
  model: string,
  { prompt, ratio, resolution, duration, seed, image }: VideoDraft,
): Readonly<Record<string, unknown>> {
  const number = (text: string) => (text.trim() === '' || !Number.isInteger(Number(text)) ? undefined : Number(text))
  return {
    model,
    content: [
      { type: 'text', text: prompt },
      ...(image === '' ? [] : [{ type: 'image_url', image_url: { url: image }, role: 'first_frame' }]),
    ],
    ratio: ratio || undefined,
    resolution: resolution || undefined,
    duration: number(duration),
    seed: number(seed),
  }
}
