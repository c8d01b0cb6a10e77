import { UserError } from '../../../api/problem.ts'
/** Limits of a stream, in characters. A longer stream is an error. */
export interface StreamBounds {
  readonly event: number
  readonly all: number
}

export const BOUNDS: StreamBounds = { event: 4_000_000, all: 32_000_000 }

/** `data` of each event of a stream, until `[DONE]`. @throws Error if the stream exceeds its limits */
export async function* dataOf(body: ReadableStream<Uint8Array>, bounds: StreamBounds = BOUNDS): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const lines = createLines(bounds.event)
  let all = 0
  let data: string[] = []
  let length = 0
  try {
    for (let isOver = false; !isOver; ) {
      const { value, done } = await reader.read()
      const text = done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true })
      isOver = done
      all += text.length
      if (all > bounds.all) throw tooLong()
      for (const line of lines(text)) {
        if (line === '') {
          if (data.length === 0) continue
          const event = data.join('\n')
          data = []
          length = 0
          if (event === '[DONE]') return
          yield event
        } else if (line.startsWith('data:')) {
          length += line.length
          if (length > bounds.event) throw tooLong()
          data.push(line.slice(line[5] === ' ' ? 6 : 5))
        }
      }
    }
  } finally {
    // The rest of the stream is not needed.
    await reader.cancel().catch(() => {})
  }
}

/** Splits chunks into complete lines. Each character is scanned once. */
function createLines(longest: number): (text: string) => readonly string[] {
  let pieces: string[] = []
  let held = 0
  let hasReturn = false
  return (text) => {
    const found: string[] = []
    let from = 0
    const end = (at: number): void => {
      pieces.push(text.slice(from, at))
      found.push(pieces.join(''))
      pieces = []
      held = 0
    }
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 10 && hasReturn) from = at + 1
      else if (code === 10 || code === 13) {
        end(at)
        from = at + 1
      }
      hasReturn = code === 13
    }
    if (from < text.length) pieces.push(text.slice(from))
    held += text.length - from
    if (held > longest) throw tooLong()
    return found
  }
}

function tooLong(): Error {
  return new UserError('The response is too long to display.')
}
