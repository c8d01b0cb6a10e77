import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { endpointCurl, endpointJavaScript, endpointPython } from '../../web/pages/playground/code/endpoint-clients.ts'
import { bodyOf, type EndpointRequest, sentText } from '../../web/pages/playground/endpoint/request.ts'
import { imagesOf, imagesRequest, isImageCount, NO_IMAGES } from '../../web/pages/playground/images/images.ts'
import {
  contentsOf,
  dueResults,
  moderationsRequest,
  NO_CONTENT,
  verdictsOf,
} from '../../web/pages/playground/moderations/verdicts.ts'
import { isSpeed, NO_SPEECH, playable, speechRequest } from '../../web/pages/playground/speech/speech.ts'
import {
  clock,
  NO_RECORDING,
  subtitlesOf,
  transcriptionRequest,
  transcriptOf,
} from '../../web/pages/playground/transcription/transcript.ts'

const PLACE = { origin: 'http://127.0.0.1:9', variable: 'HEADGATE_API_KEY', isStrict: false }
const HARD = `Don't say "$HOME" \\ \n@x`
const FILE = new File(['RIFF'], 'a "b";c.wav', { type: 'audio/wav' })

const REQUESTS: readonly EndpointRequest[] = [
  imagesRequest('demo', { ...NO_IMAGES, prompt: HARD, size: '64x64', n: '2', format: 'png' }),
  imagesRequest('demo', { ...NO_IMAGES, prompt: HARD, inputs: [FILE, FILE] }),
  speechRequest('demo', { ...NO_SPEECH, input: HARD, speed: '1.5', format: 'wav' }),
  transcriptionRequest('demo', { ...NO_RECORDING, file: FILE, hasWords: true, prompt: HARD }),
  moderationsRequest('demo', { ...NO_CONTENT, text: HARD, isPerLine: true }),
  moderationsRequest('demo', { ...NO_CONTENT, text: HARD, image: 'data:image/png;base64,iVBORw0KGgo=' }),
]

describe('Requests of the playground for media', () => {
  it('have only what the form says', () => {
    expect(bodyOf(imagesRequest('demo', { ...NO_IMAGES, prompt: 'a fox' }))).toBe('{"model":"demo","prompt":"a fox"}')
    expect(bodyOf(speechRequest('demo', { ...NO_SPEECH, input: 'Hi', speed: '2' }))).toBe(
      '{"model":"demo","input":"Hi","voice":"alloy","speed":2}',
    )
    const form = bodyOf(transcriptionRequest('demo', { ...NO_RECORDING, file: FILE, hasWords: true }))
    if (typeof form === 'string') throw new TypeError('A recording is sent as a form.')
    expect([...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.name])).toEqual([
      ['model', 'demo'],
      ['response_format', 'verbose_json'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
      ['file', FILE.name],
    ])
    const edit = imagesRequest('demo', { ...NO_IMAGES, prompt: 'x', inputs: [FILE] })
    expect(sentText(edit)).toBe('model: demo\nprompt: x\nimage[]: a "b";c.wav (audio/wav, 4 bytes)')
  })

  it('are refused by the form before they are sent if a number is wrong', () => {
    for (const n of ['0', '11', '1.5', 'x']) expect([n, isImageCount(n)]).toEqual([n, false])
    for (const n of ['', '1', '10']) expect([n, isImageCount(n)]).toEqual([n, true])
    for (const speed of ['0', '-1', 'fast']) expect([speed, isSpeed(speed)]).toEqual([speed, false])
  })

  it('are code that shells, Node and Python read', () => {
    for (const request of REQUESTS) {
      const shell = endpointCurl(request, PLACE).replace(/^curl/, "printf '%s\\0'")
      const said = spawnSync('sh', ['-c', shell], { encoding: 'utf8', env: { HEADGATE_API_KEY: 'k' } })
      expect([said.status, said.stderr]).toEqual([0, ''])
      const words = said.stdout.split('\0')
      expect(words).toContain('Authorization: Bearer k')
      if (request.files) expect(words).toContainEqual(expect.stringMatching(/=@"a \\"b\\";c\.wav"$/))
      else expect(JSON.parse(words[words.indexOf('-d') + 1] ?? '')).toEqual(JSON.parse(JSON.stringify(request.fields)))
      const script = endpointJavaScript(request, PLACE)
      const checked = spawnSync(process.execPath, ['--check', '--input-type=module', '-'], {
        input: script,
        encoding: 'utf8',
      })
      expect([checked.status, checked.stderr], script).toEqual([0, ''])
      const python = endpointPython(request, PLACE)
      const parsed = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
        input: python,
        encoding: 'utf8',
      })
      if (!parsed.error) expect([parsed.status, parsed.stderr], python).toEqual([0, ''])
    }
  })
})

describe('Responses with images and sound', () => {
  it('have images by base64 with their type, or by the address of the provider, and nothing else', async () => {
    const data = [
      { b64_json: 'iVBORw0KGgo=', revised_prompt: 'A red fox' },
      { b64_json: 'UklGRg==' },
      { url: 'https://images.example/1.png' },
      { url: 'javascript:alert(1)' },
      { b64_json: '<script>' },
      { b64_json: '/9j/%%%' },
      null,
    ]
    const images = imagesOf({ data })
    expect(images.map(({ blob, address, revised }) => [blob?.type, address, revised])).toEqual([
      ['image/png', undefined, 'A red fox'],
      ['image/webp', undefined, ''],
      [undefined, 'https://images.example/1.png', ''],
    ])
    expect(await images[1]?.blob?.text()).toBe('RIFF')
    expect(imagesOf({ error: { message: 'no' } })).toEqual([])
  })

  it('play samples without a header as a WAV file', async () => {
    const bytes = new DataView(await playable(new Blob([new Uint8Array(480)]), 'audio/pcm').arrayBuffer())
    expect([bytes.byteLength, bytes.getUint32(4, true), bytes.getUint32(24, true), bytes.getUint32(40, true)]).toEqual([
      524, 516, 24_000, 480,
    ])
    const mp3 = new Blob(['x'])
    expect(playable(mp3, 'audio/mpeg')).toBe(mp3)
  })
})

describe('Transcripts', () => {
  const SRT = '1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n2\r\n01:02:03,250 --> 01:02:04,000\r\nTwo\r\nlines\r\n'
  const VTT = 'WEBVTT\n\n00:00.000 --> 00:01.500\nHello.\n\n01:02:03.250 --> 01:02:04.000\nTwo\nlines\n'

  it('are read from subtitles with their times', () => {
    const cues = [
      { start: 0, end: 1.5, speaker: '', text: 'Hello.' },
      { start: 3_723.25, end: 3_724, speaker: '', text: 'Two lines' },
    ]
    expect(subtitlesOf(SRT)).toEqual(cues)
    expect(subtitlesOf(VTT)).toEqual(cues)
    expect(transcriptOf('vtt', VTT, undefined)?.text).toBe('Hello. Two lines')
    expect([0, 62.3456, 3_723.25].map(clock)).toEqual(['0:00.000', '1:02.346', '1:02:03.250'])
  })

  it('are read from JSON with speakers and words, and are missing if the response has none', () => {
    const segment = { start: 0, end: 1, text: ' Hello.', speaker: 'A' }
    const answer = { text: 'Hello.', language: 'english', duration: 1.5, segments: [segment], words: [] }
    expect(transcriptOf('diarized_json', '', answer)).toEqual({
      text: 'Hello.',
      language: 'english',
      seconds: 1.5,
      cues: [{ start: 0, end: 1, speaker: 'A', text: 'Hello.' }],
      words: [],
    })
    expect(transcriptOf('json', '', { error: {} })).toBeUndefined()
    expect(transcriptOf('srt', 'no subtitles', undefined)).toBeUndefined()
  })
})

describe('Verdicts', () => {
  const result = { flagged: true, categories: { hate: false, violence: true, illicit: null } }
  const whole = { ...result, category_scores: { hate: 0.1, violence: 0.9 } }

  it('are sorted by score, and an unclassified category is neither flagged nor not', () => {
    expect(verdictsOf({ results: [whole] }, 1)).toEqual([
      {
        isFlagged: true,
        categories: [
          { category: 'violence', isFlagged: true, score: 0.9 },
          { category: 'hate', isFlagged: false, score: 0.1 },
          { category: 'illicit', isFlagged: null, score: null },
        ],
      },
    ])
  })

  it.each([
    ['an error', { error: { message: 'no' } }],
    ['no results', { results: [] }],
    ['a missing result', { results: [whole] }],
    ['more results', { results: [whole, whole, whole] }],
    ['a result without a verdict', { results: [whole, { ...whole, flagged: undefined }] }],
    ['a result without categories', { results: [whole, { ...whole, categories: {} }] }],
    ['only unknown categories', { results: [whole, { ...whole, categories: { hate: null } }] }],
    ['a category that is text', { results: [whole, { ...whole, categories: { hate: 'no' } }] }],
  ])('are missing, not harmless, for %s', (_, answer) => {
    expect(verdictsOf(answer, 2)).toBeUndefined()
  })

  it('are due for each line, or for one content with its image', () => {
    const lines = moderationsRequest('m', { ...NO_CONTENT, text: 'a\n\nb', isPerLine: true })
    expect([contentsOf({ ...NO_CONTENT, text: 'a\n\nb', isPerLine: true }), dueResults(lines)]).toEqual([['a', 'b'], 2])
    expect(dueResults(moderationsRequest('m', { ...NO_CONTENT, text: 'a\nb' }))).toBe(1)
    expect(dueResults(moderationsRequest('m', { text: 'a\nb', isPerLine: true, image: 'data:,' }))).toBe(1)
  })
})
