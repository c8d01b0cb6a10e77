import type { Json } from '@headgate/core/provider'
import { isObject, parse } from '../../../json.ts'

/** Server-sent event as a strict client reads it. */
export interface ReadFrame {
  readonly event?: string
  readonly data: string
}

export interface ReadFrames {
  readonly frames: readonly ReadFrame[]
  readonly problems: string[]
}

/**
 * Events of a stream.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function readFrames(source: string): ReadFrames {
  const problems: string[] = []
  const plain = source.replaceAll('\r\n', '\n')
  if (plain !== '' && !plain.endsWith('\n\n')) problems.push('the stream ends in the middle of a frame')
  const frames = plain
    .split('\n\n')
    .filter((block) => block.trim() !== '')
    .flatMap((block) => readFrame(block) ?? [])
  return { frames, problems }
}

function readFrame(block: string): ReadFrame | undefined {
  const lines = block.split('\n').map((line) => /^(event|data): ?(.*)$/s.exec(line))
  const event = lines.find((line) => line?.[1] === 'event')?.[2]
  const data = lines.flatMap((line) => (line?.[1] === 'data' ? [line[2] ?? ''] : []))
  if (data.length === 0) return undefined
  return { ...(event !== undefined && { event }), data: data.join('\n') }
}

/** JSON objects of frames. Any other payload is a problem. */
export function payloads(frames: readonly ReadFrame[], problems: string[]): Json[] {
  return frames.flatMap(({ data }) => {
    const payload = parse(data)
    if (isObject(payload)) return [payload]
    problems.push(`a frame does not contain a JSON object: ${data.slice(0, 80)}`)
    return []
  })
}
