import {
  type LocalResponse,
  type SpeechFormat,
  type SpeechRequest,
  type SpeechSupport,
  wavHeader,
} from '@headgate/core/provider'
import { hueOf } from './hue.ts'

/** Path of requests for speech. */
export const SPEECH = '/speech'

/** Samples per second. */
const RATE = 24_000
/** Milliseconds of sound per character, and limits of the whole. */
const PER_CHARACTER_MS = 60
const SHORTEST_MS = 500
const LONGEST_MS = 10_000
/** Milliseconds of fading at each end, which avoids clicks. */
const FADE_MS = 20
/** Lowest tone in Hz, and the range above it that voices divide. */
const LOWEST = 220
const RANGE = 220
const LOUDNESS = 8_000

/** Description of a tone. */
export interface ToneShape {
  readonly format: SpeechFormat
  readonly pitch: number
  readonly ms: number
}

/** A tone whose length depends on the text and whose pitch on the voice. */
export const speech: SpeechSupport = {
  can: { formats: ['wav', 'pcm'], wavRate: RATE, speed: [0.25, 4] },
  request: (input) => ({ method: 'POST', url: SPEECH, body: { json: toneOf(input) } }),
}

function toneOf({ input, voice, format, speed = 1 }: SpeechRequest): ToneShape {
  const ms = Math.min(Math.max(([...input].length * PER_CHARACTER_MS) / speed, SHORTEST_MS), LONGEST_MS)
  return { format, pitch: LOWEST + Math.round((hueOf(voice) * RANGE) / 360), ms: Math.round(ms) }
}

/** Sound of a tone. */
export function sound({ format, pitch, ms }: ToneShape): LocalResponse {
  const count = Math.round((RATE * ms) / 1_000)
  const fade = (RATE * FADE_MS) / 1_000
  const head = format === 'wav' ? wavHeader(count * 2) : new Uint8Array(0)
  const bytes = new Uint8Array(head.length + count * 2)
  bytes.set(head)
  const samples = new DataView(bytes.buffer, head.length)
  for (let at = 0; at < count; at++) {
    const volume = Math.min(1, at / fade, (count - at) / fade)
    samples.setInt16(at * 2, Math.round(LOUDNESS * volume * Math.sin((2 * Math.PI * pitch * at) / RATE)), true)
  }
  return { type: format === 'wav' ? 'audio/wav' : 'audio/pcm', bytes }
}
