import { execFileSync } from 'node:child_process'
import { testCall } from '@headgate/conformance'
import {
  type HttpResponse,
  type ImagesRequest,
  type ModerationsRequest,
  pcmOfWav,
  type SpeechRequest,
  type TranscriptionRequest,
} from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { demo } from '../src/index.ts'

const { images, speech, transcription, moderations, answer } = demo({})
const { signal } = new AbortController()

async function respond(request: Parameters<NonNullable<typeof answer>>[0]): Promise<HttpResponse> {
  const { type, bytes } = (await answer?.(request, signal)) ?? expect.unreachable()
  const body = type === 'application/json' ? JSON.parse(new TextDecoder().decode(bytes)) : ''
  return { status: 200, headers: { 'content-type': type }, body, bytes }
}

async function draw(asked: Partial<ImagesRequest> = {}, call = testCall()): Promise<readonly Buffer[]> {
  if (!images) return expect.unreachable()
  const input = { model: 'demo', prompt: 'A fox.', n: 1, images: [], more: {}, ...asked }
  const made = images.response(await respond(images.request(input, call)), input, [])
  if (!('images' in made)) return expect.unreachable()
  return made.images.map(({ base64 = '' }) => Buffer.from(base64, 'base64'))
}

async function say(asked: Partial<SpeechRequest> = {}): Promise<Uint8Array> {
  const input = { model: 'demo', input: 'Hello there.', voice: 'alloy', format: 'pcm', ...asked } as const
  const { body, ...rest } = speech?.request(input, testCall()) ?? expect.unreachable()
  // The gateway serializes bodies of requests for speech.
  const bytes = Buffer.from(JSON.stringify(Object(body).json))
  return (await respond({ ...rest, body: { bytes, type: 'application/json' } })).bytes
}

describe('Images of the demo', () => {
  it.each([
    ['256 × 256 by default', undefined, [256, 256]],
    ['wide', { width: 1536, height: 1024 }, [1536, 1024]],
    ['tiny', { width: 1, height: 1 }, [1, 1]],
  ] as const)('are PNG files: %s', async (_, size, [width, height]) => {
    const [file = Buffer.alloc(0)] = await draw({ size })
    expect(file.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
    expect([file.readUInt32BE(16), file.readUInt32BE(20)]).toEqual([width, height])
  })

  it('are small', async () => {
    const [file = Buffer.alloc(0)] = await draw({ size: { width: 2048, height: 2048 } })
    expect(file.length).toBeLessThan(100_000)
  })

  it.skipIf(!hasProgram('identify'))('are read by ImageMagick', async () => {
    const [file] = await draw({ size: { width: 640, height: 480 } })
    const said = execFileSync('identify', ['-regard-warnings', '-format', '%m %w %h', '-'], { input: file })
    expect(said.toString()).toBe('PNG 640 480')
  })

  it('are alike for like requests, and others for others', async () => {
    const [first, second] = await draw({ n: 2 })
    expect(await draw({ n: 2 })).toEqual([first, second])
    expect(second).not.toEqual(first)
    expect((await draw({ prompt: 'An owl.' }))[0]).not.toEqual(first)
    expect((await draw({ seed: 7 }))[0]).not.toEqual(first)
  })

  it('declare that inputs are not read', async () => {
    const call = testCall()
    const picture = { url: 'data:image/png;base64,' }
    await draw({ images: [picture], mask: picture }, call)
    expect(call.losses.map(({ path }) => path)).toEqual(['image', 'mask'])
  })

  it('are refused by the word demo:reject', async () => {
    await expect(draw({ prompt: 'demo:reject' })).rejects.toMatchObject({ kind: 'content-policy' })
  })
})

describe('Speech of the demo', () => {
  it('is a tone that depends on the voice, as long as the text and the speed say', async () => {
    const sound = await say()
    expect(sound.length).toBe(24_000 * 2 * 0.72)
    expect(await say()).toEqual(sound)
    expect(await say({ voice: 'nova' })).not.toEqual(sound)
    expect((await say({ input: 'Hello there. '.repeat(2) })).length).toBeGreaterThan(sound.length)
    expect((await say({ input: 'Hello there.', speed: 0.5 })).length).toBe(sound.length * 2)
  })

  it('has at most ten seconds', async () => {
    expect((await say({ input: 'a'.repeat(4_096) })).length).toBe(24_000 * 2 * 10)
  })

  it('is the same sound in a WAV file', async () => {
    const sound = await say()
    expect(Buffer.from(pcmOfWav(await say({ format: 'wav' })) ?? []).equals(sound)).toBe(true)
  })
})

describe('Transcripts of the demo', () => {
  async function transcribe(asked: Partial<TranscriptionRequest> = {}, call = testCall()) {
    if (!transcription) return expect.unreachable()
    const content = { size: 0, async *read() {} }
    const file = { name: 'a.wav', type: 'audio/wav', content }
    const input: TranscriptionRequest = {
      model: 'demo',
      file,
      keywords: [],
      times: 'word',
      speakers: true,
      translates: false,
      ...asked,
    }
    const made = transcription.response(await respond(transcription.request(input, call)), input, [])
    return 'text' in made ? made : expect.unreachable()
  }

  it('say the same in the whole length of any recording', async () => {
    const short = await transcribe({ milliseconds: 1_200 })
    const long = await transcribe({ milliseconds: 60_000 })
    expect(short.text).toBe('Headgate demo: no model was called. This transcript is always the same.')
    expect(long.text).toBe(short.text)
    expect(long.words?.[0]).toEqual({ text: 'Headgate', speaker: 'first', start: 0, end: 5 })
    expect(long.words?.at(-1)?.end).toBe(60)
    expect(long.segments).toMatchObject([
      { speaker: 'first', start: 0, end: 30 },
      { speaker: 'second', start: 30, end: 60 },
    ])
    expect(short.usage).toEqual({ input: 0, output: 0, units: { milliseconds: 1_200 } })
  })

  it('declare that other languages are not written', async () => {
    const call = testCall()
    await transcribe({ language: 'de' }, call)
    expect(call.losses).toMatchObject([{ path: 'language' }])
  })
})

describe('Moderations of the demo', () => {
  it('find words, each content for itself', async () => {
    if (!moderations || !('run' in moderations)) return expect.unreachable()
    const asked: ModerationsRequest = {
      model: 'demo',
      inputs: [[{ type: 'text', text: 'Hello there.' }], [{ type: 'text', text: 'I will KILL you, idiot.' }]],
    }
    const { results } = await moderations.run(asked, signal, testCall())
    expect(results.map(({ flagged }) => flagged)).toEqual([false, true])
    expect(results[1]).toMatchObject({
      categories: { violence: true, harassment: true, hate: false },
      scores: { violence: 0.99, hate: 0.01 },
    })
  })
})

function hasProgram(name: string): boolean {
  try {
    execFileSync(name, ['-version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
