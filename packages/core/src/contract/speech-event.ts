import { isObject, number, text } from '../canonical/json.ts'
import type { Usage } from '../canonical/usage.ts'
import type { SpeechPart } from './speech.ts'

/**
 * Part of an event of `POST /audio/speech` with `stream_format: sse`.
 * @see https://platform.openai.com/docs/api-reference/audio/speech-audio-delta-event
 * @example readSpeechEvent({ type: 'speech.audio.done' }).isLast // true
 */
export function readSpeechEvent(data: unknown): SpeechPart {
  if (!isObject(data)) return {}
  const type = text(data['type'])
  if (type === 'speech.audio.delta') return { bytes: bytesOf(data['audio']) }
  if (type === 'speech.audio.done') return { isLast: true, usage: speechUsage(data['usage']) }
  return {}
}

/**
 * Bytes of a base64 string; undefined = it is not a string, or empty.
 * @example bytesOf('aGk=')?.length // 2
 */
export function bytesOf(base64: unknown): Uint8Array | undefined {
  const given = text(base64)
  return given ? Buffer.from(given, 'base64') : undefined
}

/**
 * Tokens of speech: `{ input_tokens, output_tokens }`. All output is sound.
 * @example speechUsage({ input_tokens: 1, output_tokens: 2 }) // { input: 1, output: 2, audioOutput: 2 }
 */
export function speechUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined
  const [input, output] = [number(usage['input_tokens']), number(usage['output_tokens'])]
  return input === undefined || output === undefined ? undefined : { input, output, audioOutput: output }
}
