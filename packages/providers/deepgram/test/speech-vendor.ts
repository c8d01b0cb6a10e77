import type { Received, SpeechFacts } from '@headgate/conformance'
import { z } from 'zod'

const Asked = z.strictObject({ text: z.string() })

/** @see https://developers.deepgram.com/docs/tts-media-output-settings */
const OUTPUTS = {
  'mp3,,': 'mp3',
  'opus,ogg,': 'opus',
  'aac,,': 'aac',
  'flac,,24000': 'flac',
  'linear16,wav,24000': 'wav',
  'linear16,none,24000': 'pcm',
} as const

/** Deepgram's speech, as its documentation describes it. Nothing was recorded. */
export const speech: SpeechFacts = {
  model: 'aura-2',
  path: '/v1/speak',
  voice: 'asteria-en',
  alloy: 'thalia-en',
  formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
  speed: [0.7, 1.5],
  maxCharacters: 2_000,
  counts: 'characters',
  read({ body, query }: Received) {
    const { text } = Asked.parse(body)
    const [, model = '', voice = ''] = /^(aura(?:-2)?)-(.+)$/.exec(query.get('model') ?? '') ?? []
    const output = ['encoding', 'container', 'sample_rate'].map((name) => query.get(name) ?? '').join(',')
    const format = OUTPUTS[output as keyof typeof OUTPUTS]
    if (!format) throw new Error(`unknown output ${output}`)
    const speed = query.get('speed')
    // A voice without a language does not exist.
    return {
      model,
      input: text,
      voice: voice === 'no-such-voice-en' ? '?' : voice,
      format,
      speed: speed ? Number(speed) : undefined,
    }
  },
  write: ({ pieces, format, characters }) => ({
    kind: 'stream',
    pieces,
    headers: {
      'content-type': { mp3: 'audio/mpeg', pcm: 'audio/l16;rate=24000' }[String(format)] ?? `audio/${format}`,
      'dg-char-count': String(characters),
    },
  }),
  error: (status, message) => ({ err_code: `E${status}`, err_msg: message, request_id: '1' }),
}
