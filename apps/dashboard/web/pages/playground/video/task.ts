import { isRecord, listOf, textOf } from '../wire/call.ts'

export const TASKS = 'api/v3/contents/generations/tasks'

/** A video that is being made, or was. */
export interface Task {
  readonly id: string
  readonly model: string
  readonly status: string
  /** From 0 to 1, where the provider says so. */
  readonly progress: number | undefined
  readonly video: string
  readonly error: string
  /** Unix milliseconds; undefined = nobody says. */
  readonly createdAt: number | undefined
}

const FINAL: readonly string[] = ['succeeded', 'failed', 'cancelled', 'expired']

export function isOver({ status }: Task): boolean {
  return FINAL.includes(status)
}

export function taskOf(answer: unknown): Task | undefined {
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

export function tasksOf(answer: unknown): readonly Task[] {
  return listOf(isRecord(answer) ? answer['items'] : undefined).flatMap((one) => taskOf(one) ?? [])
}

/**
 * The URL from which the page plays a video: links to the gateway use the address of the page, whatever address they
 * name. Undefined for videos on other hosts. @param gateway URL of the gateway, without a slash at its end.
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

/** What creates a task. */
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
