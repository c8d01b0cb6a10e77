import { endpoint } from '@headgate/core/openai-compatible'
import {
  defineProvider,
  type HttpResponse,
  object,
  objects,
  type Provider,
  type TranscriptionRequest,
  type TranscriptionSupport,
  text,
  timedText,
  timeUsage,
} from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { examine, type ProviderFacts, type Received, type TranscriptionFacts } from '../src/index.ts'
import { KEY } from './adapters.ts'

/** An invented vendor with a form, and times in milliseconds. */
const facts: TranscriptionFacts = {
  model: 'ear-1',
  requests: ['POST /v1/hear'],
  can: { times: 'word', speakers: true, prompt: true, keywords: true, temperature: true },
  read: ([request]) => {
    const { parts } = request as Received
    const known = ['model', 'sound', 'lang', 'hint', 'word', 'heat', 'who']
    for (const { name } of parts) if (!known.includes(name)) throw new Error(`unknown field: ${name}`)
    const texts = (name: string) => parts.filter((part) => part.name === name).map(({ bytes }) => String(bytes))
    const file = parts.find(({ name }) => name === 'sound')
    if (!file) throw new Error('sound is missing')
    const [heat] = texts('heat')
    return {
      model: texts('model')[0] ?? '',
      file,
      language: texts('lang')[0],
      prompt: texts('hint')[0],
      keywords: texts('word'),
      temperature: heat === undefined ? undefined : Number(heat),
      speakers: texts('who')[0] === 'yes',
    }
  },
  write: ({ text: transcript, language, seconds, words, request }) => ({
    transcript,
    language,
    length: seconds * 1_000,
    words: words.flatMap(({ text: word, start, end, speaker }) => [
      { word, from: Math.round(start * 1_000), to: Math.round(end * 1_000), ...(request.speakers && { speaker }) },
      { word: ' ', from: Math.round(end * 1_000), to: Math.round(end * 1_000), isSpace: true },
    ]),
  }),
  failures: [{ name: 'a failure', body: { failed: 'The recording is broken.' }, kind: 'invalid-request' }],
}

type Form = { readonly name: string; readonly value: string | TranscriptionRequest['file'] }[]

function formOf({ model, file, language, prompt, keywords, temperature, speakers }: TranscriptionRequest): Form {
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['model', model],
    ['lang', language],
    ['hint', prompt],
    ...keywords.map((word) => ['word', word] as const),
    ['heat', temperature === undefined ? undefined : String(temperature)],
    ['who', speakers ? 'yes' : undefined],
  ]
  return [
    ...fields.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }])),
    { name: 'sound', value: file },
  ]
}

function requestOf(form: Form, url = '/v1/hear') {
  return {
    method: 'POST' as const,
    url,
    body: {
      form: form.map(({ name, value }) =>
        typeof value === 'string'
          ? { name, value }
          : { name, value: value.content, filename: value.name, type: value.type },
      ),
    },
  }
}

function transcriptOf({ body }: HttpResponse) {
  const { transcript, language, length, words } = object(body) ?? {}
  if (typeof transcript !== 'string') throw new Error('no transcript')
  return {
    text: transcript,
    language: text(language),
    seconds: Number(length) / 1_000,
    words: objects(words)
      .filter(({ isSpace }) => !isSpace)
      .flatMap(({ word, from, to, speaker }) => timedText(word, from, to, speaker, 1_000)),
    usage: timeUsage(Number(length) / 1_000),
  }
}

const right: TranscriptionSupport = {
  can: facts.can,
  request: (input) => requestOf(formOf(input)),
  response: transcriptOf,
}

const readError: NonNullable<Provider['readError']> = ({ status, body }) => {
  const failed = text(object(body)?.['failed'])
  return status === 200 && failed !== undefined ? { kind: 'invalid-request', message: failed } : undefined
}

function adapter(deviation: Partial<TranscriptionSupport>, provider: Partial<Provider> = {}) {
  return defineProvider(
    {
      id: 'example',
      title: 'Example',
      config: z.strictObject(endpoint('https://api.example.com')),
      env: { apiKey: ['EXAMPLE_API_KEY'] },
    },
    ({ apiKey, baseUrl }) => ({
      baseUrl,
      credential: { kind: 'header', name: 'x-example-key', value: apiKey },
      transcription: { ...right, ...deviation } as TranscriptionSupport,
      known: [{ id: 'ear-1', families: ['transcription'] }],
      ...provider,
      readError: provider.readError ?? readError,
    }),
  )
}

async function findings(
  deviation: Partial<TranscriptionSupport>,
  provider: Partial<Provider> = {},
  own: Partial<TranscriptionFacts> = {},
): Promise<string> {
  const all: ProviderFacts<{ apiKey: string }> = {
    config: { apiKey: KEY },
    upstream: { credential: { header: 'x-example-key', value: KEY } },
    transcription: { ...facts, ...own },
  }
  const found = await examine(adapter(deviation, provider), all)
  return found.map(({ message }) => message).join('\n')
}

function sending(change: (input: TranscriptionRequest) => TranscriptionRequest): Partial<TranscriptionSupport> {
  return { request: (input) => requestOf(formOf(change(input))) }
}

function reading(change: (transcript: ReturnType<typeof transcriptOf>) => object): Partial<TranscriptionSupport> {
  return { response: (answer) => change(transcriptOf(answer)) as ReturnType<typeof transcriptOf> }
}

function file(change: (file: TranscriptionRequest['file']) => Partial<TranscriptionRequest['file']>) {
  return sending((input) => ({ ...input, file: { ...input.file, ...change(input.file) } }))
}

const raw = (answer: HttpResponse) => objects(object(answer.body)?.['words'])

const WRONG: readonly (readonly [
  what: string,
  deviation: Partial<TranscriptionSupport>,
  expected: RegExp,
  provider?: Partial<Provider>,
  own?: Partial<TranscriptionFacts>,
])[] = [
  [
    'sends half of the file',
    file(({ content }) => ({
      content: {
        size: content.size / 2,
        async *read() {
          const chunks: Uint8Array[] = []
          for await (const chunk of content.read()) chunks.push(chunk)
          yield Buffer.concat(chunks).subarray(0, content.size / 2)
        },
      },
    })),
    /received 8022 bytes that differ from the 16044/,
  ],
  ['gives the file another name', file(() => ({ name: 'audio.mp3' })), /received the file with filename "audio.mp3"/],
  ['gives the file another type', file(() => ({ type: 'audio/mpeg' })), /received the file with type "audio\/mpeg"/],
  ['uses another path', { request: (input) => requestOf(formOf(input), '/hear') }, /expected POST \/v1\/hear/],
  [
    'sends a field that the vendor does not know',
    { request: (input) => requestOf([...formOf(input), { name: 'stream', value: 'false' }]) },
    /unknown field: stream/,
  ],
  [
    'takes milliseconds for seconds',
    {
      response: (answer) => ({
        ...transcriptOf(answer),
        words: raw(answer).flatMap(({ word, from, to, isSpace }) => (isSpace ? [] : timedText(word, from, to))),
      }),
    },
    /Words are \[\{"word":"Guten","start":120,"end":480\}/,
  ],
  [
    'takes spaces for words',
    reading(({ words, ...rest }) => ({
      ...rest,
      words: words.flatMap((word) => [word, { text: ' ', start: word.end, end: word.end }]),
    })),
    /"word":" "[\s\S]*leave out spaces and sounds/,
  ],
  [
    'bills until the last word',
    reading(({ words, ...rest }) => ({ ...rest, words, usage: timeUsage(words.at(-1)?.end) })),
    /"milliseconds":4200\}\}, but the upstream bills 12345 ms/,
  ],
  [
    'cuts the seconds off',
    reading(({ seconds, ...rest }) => ({ ...rest, seconds, usage: timeUsage(Math.floor(seconds)) })),
    /"milliseconds":12000\}\}, but the upstream bills 12345 ms/,
  ],
  [
    'reports seconds as milliseconds',
    reading(({ seconds, ...rest }) => ({ ...rest, seconds, usage: timeUsage(seconds / 1_000) })),
    /but the upstream bills 12345 ms/,
  ],
  ['ignores the length', reading(({ usage: _, seconds: __, ...rest }) => rest), /"milliseconds":1000\}\}, but/],
  [
    'returns no code of a language',
    reading((transcript) => ({ ...transcript, language: 'Deutsch' })),
    /The language is "Deutsch", expected "german"/,
  ],
  ['loses the language', reading(({ language: _, ...rest }) => rest), /The language is undefined/],
  [
    'does not ask for speakers',
    sending((input) => ({ ...input, speakers: false })),
    /was not asked for speakers[\s\S]*expected \["A","B"\]/,
  ],
  [
    'loses speakers',
    reading(({ words, ...rest }) => ({ ...rest, words: words.map(({ speaker: _, ...word }) => word) })),
    /expected \["A","B"\]/,
  ],
  [
    'claims speakers that the vendor does not tell apart',
    {},
    /cannot do response_format=diarized_json[\s\S]*`can\.speakers` is true/,
    {},
    { can: { ...facts.can, speakers: false } },
  ],
  [
    'claims times that the vendor does not report',
    {},
    /cannot do response_format=srt/,
    {},
    { can: { ...facts.can, times: 'none' } },
  ],
  [
    'does not count a surcharge',
    {},
    /the usage row has no `keywordMilliseconds`/,
    {},
    { can: { ...facts.can, surcharges: { keywords: 'keywordMilliseconds' } } },
  ],
  ['drops keywords in silence', sending((input) => ({ ...input, keywords: [] })), /understood \[\] for `keywords\[\]`/],
  [
    'drops a temperature of 0',
    sending(({ temperature, ...input }) => ({ ...input, ...(temperature && { temperature }) })),
    /understood undefined for `temperature`, expected 0/,
  ],
  ['drops the language', sending(({ language: _, ...input }) => input), /understood undefined for `language`/],
  [
    'denies a prompt that the vendor supports',
    { can: { ...facts.can, prompt: false } },
    /supports `prompt`, but headgate-lost names it/,
  ],
  [
    'sends a prompt to a vendor without one',
    {},
    /has no `prompt`, but headgate-lost does not name it/,
    {},
    { can: { ...facts.can, prompt: false } },
  ],
  [
    'takes any response for a silent recording',
    { response: ({ body }) => ({ text: text(object(body)?.['transcript']) ?? '' }) },
    /For an empty object with status 200, callers get status 200/,
  ],
  [
    'does not read failures with status 200',
    {},
    /For a failure with status 200, callers get status 500[\s\S]*Expected: invalid-request/,
    { readError: () => undefined },
  ],
  [
    'reads every failure as its own fault',
    {},
    /The upstream's failure "429" is "rate-limited"/,
    { readError: ({ status }) => (status >= 400 ? { kind: 'upstream', message: 'failed' } : undefined) },
  ],
]

describe('An adapter for transcription', () => {
  it('passes the kit if it is right', async () => {
    expect(await findings({})).toBe('')
  })

  for (const [what, deviation, expected, provider, own] of WRONG)
    it(`fails the kit if it ${what}`, async () => {
      expect(await findings(deviation, provider, own)).toMatch(expected)
    })
})
