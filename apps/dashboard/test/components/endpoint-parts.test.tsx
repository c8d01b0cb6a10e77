// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ImagesPart } from '../../web/pages/playground/images/images-part.tsx'
import { ModerationsPart } from '../../web/pages/playground/moderations/moderations-part.tsx'
import { SpeechPart } from '../../web/pages/playground/speech/speech-part.tsx'
import { TranscriptionPart } from '../../web/pages/playground/transcription/transcription-part.tsx'
import { show } from './shown.tsx'

const SHARED = { model: 'demo', known: ['demo'], project: 'prj_1', onModels: vi.fn() }
/** Usage row of a request, as far as the parts show it. */
const ROW = { charged: '1500000', cost: '1500000', losses: [] }

interface SentForm {
  readonly address: string
  readonly body: BodyInit | null | undefined
  readonly headers: Headers
}

/** Renders a part with a gateway that answers model paths. */
async function showPart(part: ReactNode, answer: () => Response) {
  const { user } = await show('/playground', part)
  const sent: SentForm[] = []
  vi.stubGlobal('fetch', async (address: string, { body, headers }: RequestInit = {}) => {
    if (!address.includes('/playground/')) return Response.json(address.includes('/usage/') ? ROW : {}, { status: 200 })
    sent.push({ address, body, headers: new Headers(headers) })
    return answer()
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return { user, sent }
}

const HEADERS = { 'x-request-id': 'req_1', 'headgate-vendor': 'mine', 'headgate-lost': 'quality' }

/** Error of the gateway in OpenAI's format. */
function failure(message: string): Response {
  return Response.json({ error: { message } }, { status: 502 })
}

beforeEach(() => {
  URL.createObjectURL = (blob) => `blob:${(blob as Blob).type}`
  URL.revokeObjectURL = () => {}
})

describe('Images in the playground', () => {
  it('are shown from their bytes, with provider, cost, time, the request and what was lost', async () => {
    const data = [{ b64_json: 'iVBORw0KGgo=' }, { url: 'https://images.example/1.png' }]
    const { user, sent } = await showPart(<ImagesPart {...SHARED} />, () =>
      Response.json({ data }, { headers: HEADERS }),
    )
    const button = await screen.findByRole('button', { name: 'Generate images' })
    expect(button.hasAttribute('disabled')).toBe(true)
    await user.type(screen.getByLabelText('Prompt'), 'A fox')
    await user.type(screen.getByLabelText('Number'), '0')
    expect(button.hasAttribute('disabled')).toBe(true)
    await user.type(screen.getByLabelText('Number'), '{Backspace}2{Enter}')
    const image = await screen.findByRole('img', { name: 'A fox' })
    expect(image.getAttribute('src')).toBe('blob:image/png')
    expect(sent[0]?.address).toMatch(/\/playground\/v1\/images\/generations\?.*project=prj_1/)
    expect(JSON.parse(String(sent[0]?.body))).toEqual({ model: 'demo', prompt: 'A fox', n: 2 })
    expect(screen.getByRole('link', { name: 'Open image 2' }).getAttribute('href')).toBe(data[1]?.url)
    expect(await screen.findByText('$0.0015')).toBeTruthy()
    expect(screen.getByText('demo of mine')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Open request' }).getAttribute('href')).toContain('req_1')
    await user.click(screen.getByRole('tab', { name: 'Lost (1)' }))
    expect(await screen.findAllByText('quality')).toHaveLength(2)
    await user.click(screen.getByRole('tab', { name: 'OpenAI (Python)' }))
    expect(screen.getByText(/client\.images\.generate\(/)).toBeTruthy()
  })

  it('are edited as a form with files', async () => {
    const { user, sent } = await showPart(<ImagesPart {...SHARED} />, () => Response.json({ data: [] }))
    await user.type(await screen.findByLabelText('Prompt'), 'A hat')
    await user.upload(screen.getByLabelText('Add images to edit'), new File(['x'], 'fox.png', { type: 'image/png' }))
    await user.click(await screen.findByRole('button', { name: 'Edit images' }))
    expect(await screen.findByText(/The response has no image/)).toBeTruthy()
    const [{ body, headers, address } = {}] = sent
    expect(address).toContain('/v1/images/edits')
    expect([body instanceof FormData, headers?.get('content-type'), headers?.get('x-requested-with')]).toEqual([
      true,
      null,
      'headgate',
    ])
  })
})

describe('Speech in the playground', () => {
  it('has a player and a download, and an error takes their place', async () => {
    let answer = new Response('ID3', { headers: { ...HEADERS, 'content-type': 'audio/mpeg' } })
    const { user, sent } = await showPart(<SpeechPart {...SHARED} />, () => answer)
    await user.type(await screen.findByLabelText('Text'), 'Hi 👋')
    expect(screen.getByText(/^4 characters/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Generate speech' }))
    const player = await screen.findByLabelText('Generated speech')
    expect(player.getAttribute('src')).toMatch(/^blob:/)
    expect(screen.getByRole('link', { name: 'Download' }).getAttribute('download')).toBe('speech.mp3')
    expect(JSON.parse(String(sent[0]?.body))).toEqual({ model: 'demo', input: 'Hi 👋', voice: 'alloy' })
    answer = failure('The text is longer than 2000.')
    await user.click(screen.getByRole('button', { name: 'Generate speech' }))
    expect((await screen.findByRole('alert')).textContent).toContain('The text is longer than 2000.')
    expect(screen.queryByLabelText('Generated speech')).toBeNull()
  })
})

describe('Transcripts in the playground', () => {
  it('have a table of segments with times, and the words on demand', async () => {
    const segments = [{ start: 0, end: 1.5, text: 'Hello.' }]
    const answer = { text: 'Hello.', language: 'english', duration: 1.5, segments, words: [] }
    const { user, sent } = await showPart(<TranscriptionPart {...SHARED} />, () => Response.json(answer))
    expect((await screen.findByRole('button', { name: 'Transcribe' })).hasAttribute('disabled')).toBe(true)
    await user.upload(screen.getByLabelText('Add recording'), new File(['RIFF'], 'a.wav', { type: 'audio/wav' }))
    expect(screen.getByLabelText('Recording a.wav')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Transcribe' }))
    const table = await screen.findByRole('table', { name: 'Segments' })
    expect(
      within(table)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    ).toEqual(['0:00.000', '0:01.500', 'Hello.'])
    const form = sent[0]?.body
    expect(form instanceof FormData && [...form.keys()]).toEqual(['model', 'response_format', 'file'])
  })
})

describe('Verdicts in the playground', () => {
  const whole = { flagged: false, categories: { hate: false }, category_scores: { hate: 0.01 } }

  it('are a table of categories with scores for each line', async () => {
    const results = [whole, { ...whole, flagged: true, categories: { hate: true } }]
    const { user } = await showPart(<ModerationsPart {...SHARED} />, () => Response.json({ results }))
    await user.type(await screen.findByLabelText('Content'), 'Hello{Enter}I hate you')
    await user.click(screen.getByLabelText('Classify each line separately'))
    await user.click(screen.getByRole('button', { name: 'Classify' }))
    const second = await screen.findByRole('article', { name: 'Content 2' })
    expect(within(second).getAllByText('flagged')).toHaveLength(2)
    expect(within(second).getByText('0.0100')).toBeTruthy()
    expect(within(screen.getByRole('article', { name: 'Content 1' })).getAllByText('not flagged')).toHaveLength(2)
  })

  it.each([
    ['an error', () => failure('The provider did not return a classification.')],
    ['an empty response', () => Response.json({ results: [] })],
    ['a response without categories', () => Response.json({ results: [{ flagged: false, categories: {} }] })],
    ['a response that is not JSON', () => new Response('not flagged', { headers: { 'content-type': 'text/plain' } })],
  ])('never say that a content is not flagged after %s', async (_, answer) => {
    let next = () => Response.json({ results: [whole] })
    const { user } = await showPart(<ModerationsPart {...SHARED} />, () => next())
    await user.type(await screen.findByLabelText('Content'), 'Hello')
    await user.click(screen.getByRole('button', { name: 'Classify' }))
    expect((await screen.findAllByText('not flagged')).length).toBeGreaterThan(0)
    next = answer
    await user.click(screen.getByRole('button', { name: 'Classify' }))
    await screen.findByText(/Treat the contents as not checked|did not return a classification/)
    expect(screen.queryByText('not flagged')).toBeNull()
  })
})
