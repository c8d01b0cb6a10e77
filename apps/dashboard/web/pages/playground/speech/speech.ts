import { type EndpointRequest, numberOf } from '../endpoint/request.ts'

/** Voices of OpenAI, for which other providers have a similar voice. */
export const VOICES = [
  ...(['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'onyx'] as const),
  ...(['nova', 'sage', 'shimmer', 'verse', 'marin', 'cedar'] as const),
]
export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const

/** Values of the form. Empty strings are the defaults of the model. */
export interface SpeechDraft {
  readonly input: string
  readonly voice: string
  readonly format: string
  readonly speed: string
  readonly instructions: string
}

export const NO_SPEECH: SpeechDraft = { input: '', voice: 'alloy', format: '', speed: '', instructions: '' }

export function speechRequest(
  model: string,
  { input, voice, format, speed, instructions }: SpeechDraft,
): EndpointRequest {
  return {
    path: 'audio/speech',
    fields: {
      model,
      input,
      voice: voice || undefined,
      response_format: format || undefined,
      speed: numberOf(speed),
      instructions: instructions || undefined,
    },
  }
}

/** True for an empty speed, and for a positive number. */
export function isSpeed(speed: string): boolean {
  const factor = numberOf(speed)
  return factor === undefined || (Number.isFinite(factor) && factor > 0)
}

/** Number of characters as providers count them: code points. */
export function charactersOf(text: string): number {
  return [...text].length
}

const PCM = { hertz: 24_000, bytes: 2 } as const
const HEADER = 44

/** Sound that browsers play. Samples without a header (24 kHz, 16 bits, mono) get the header of a WAV file. */
export function playable(sound: Blob, type: string): Blob {
  if (type !== 'audio/pcm') return sound
  const header = new DataView(new ArrayBuffer(HEADER))
  const text = (at: number, letters: string): void => {
    for (let index = 0; index < letters.length; index++) header.setUint8(at + index, letters.charCodeAt(index))
  }
  text(0, 'RIFF')
  header.setUint32(4, HEADER - 8 + sound.size, true)
  text(8, 'WAVEfmt ')
  header.setUint32(16, 16, true)
  header.setUint16(20, 1, true)
  header.setUint16(22, 1, true)
  header.setUint32(24, PCM.hertz, true)
  header.setUint32(28, PCM.hertz * PCM.bytes, true)
  header.setUint16(32, PCM.bytes, true)
  header.setUint16(34, PCM.bytes * 8, true)
  text(36, 'data')
  header.setUint32(40, sound.size, true)
  return new Blob([header, sound], { type: 'audio/wav' })
}

const ENDINGS: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/ogg': 'opus',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/wav': 'wav',
  'audio/pcm': 'pcm',
}

/** Ending of a file with this sound; empty for an unknown type. */
export function soundEnding(type: string): string {
  return ENDINGS[type] ?? ''
}
