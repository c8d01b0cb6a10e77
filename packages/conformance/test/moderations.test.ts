import { endpoint } from '@headgate/core/openai-compatible'
import {
  defineProvider,
  guardsSupport,
  type HttpResponse,
  type ModerationsResponse,
  type ModerationsSupport,
  object,
  objects,
  type Provider,
} from '@headgate/core/provider'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { examine, guardModerations, type ModerationsFacts, type ModerationTopic } from '../src/index.ts'
import { KEY } from './adapters.ts'

/** An invented vendor with own names of categories, and images in the request. */
const NAMES: Readonly<Record<ModerationTopic, string>> = {
  hate: 'hatred',
  violence: 'blood',
  'self-harm': 'harm',
  sexual: 'sex',
}
const TOPICS = Object.fromEntries(Object.entries(NAMES).map(([topic, name]) => [name, topic]))

const facts: ModerationsFacts = {
  model: 'judge-1',
  otherModel: 'chat-1',
  path: '/v1/judge',
  images: true,
  most: 2,
  failures: [{ name: 'a failed judgment', body: { failed: true, judged: [] } }],
  read({ body }) {
    const { model, contents, ...others } = object(body) ?? {}
    if (model !== 'judge-1' || Object.keys(others).length > 0) throw new Error('the fields are model and contents')
    return objects(contents).map(({ text, images }) => ({ text: String(text), images: images as string[] }))
  },
  write: ({ results }) => ({
    judged: results.map((topics) => ({ found: topics.map((topic) => ({ name: NAMES[topic], weight: 80 })) })),
  }),
}

function judged({ body }: HttpResponse): ModerationsResponse {
  const results = objects(object(body)?.['judged']).map(({ found }) => {
    if (!Array.isArray(found)) throw new Error('no list of findings')
    if (objects(found).some(({ name, weight }) => !(String(name) in TOPICS) || typeof weight !== 'number'))
      throw new Error('an unknown finding')
    const weights = Object.fromEntries(objects(found).map(({ name, weight }) => [TOPICS[String(name)], weight]))
    return {
      categories: Object.fromEntries(Object.keys(NAMES).map((topic) => [topic, topic in weights])),
      scores: Object.fromEntries(Object.keys(NAMES).map((topic) => [topic, Number(weights[topic] ?? 0) / 100])),
    }
  })
  return { results }
}

type Contents = readonly { readonly text: string; readonly images: readonly string[] }[]

function requestOf(model: string, contents: Contents) {
  return { method: 'POST' as const, url: '/v1/judge', body: { json: { model, contents } } }
}

const contentsOf: (
  inputs: Parameters<Extract<ModerationsSupport, { request: unknown }>['request']>[0]['inputs'],
) => Contents = (inputs) =>
  inputs.map((parts) => ({
    text: parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n'),
    images: parts.flatMap((part) => (part.type === 'image' ? part.url : [])),
  }))

type Judge = Extract<ModerationsSupport, { request: unknown }>

const right: Judge = {
  serves: (model) => model.startsWith('judge'),
  images: true,
  batch: 2,
  request: ({ model, inputs }) => requestOf(model, contentsOf(inputs)),
  response: judged,
}

function adapter(deviation: Partial<Judge> = {}, provider: Partial<Provider> = {}) {
  return defineProvider(
    { id: 'example', title: 'Example', config: z.strictObject(endpoint('https://api.example.com')), env: {} },
    ({ apiKey, baseUrl }) => ({
      baseUrl,
      credential: { kind: 'header', name: 'x-key', value: apiKey },
      moderations: { ...right, ...deviation },
      ...provider,
    }),
  )
}

async function findings(given: ReturnType<typeof adapter>, own: ModerationsFacts = facts): Promise<string> {
  const found = await examine(
    given,
    { config: { apiKey: KEY }, upstream: { credential: { header: 'x-key', value: KEY } }, moderations: own },
    /moderation|classifies|flags each|harmless|do not classify/,
  )
  return found.map(({ message }) => message).join('\n')
}

/** Results with every flag changed. */
const changed = (change: (answer: ModerationsResponse) => ModerationsResponse): Partial<Judge> => ({
  response: (answer) => change(judged(answer)),
})
const mapped = (change: (topic: string, flag: boolean) => readonly [string, boolean | null]): Partial<Judge> =>
  changed(({ results }) => ({
    results: results.map(({ categories, scores }) => ({
      categories: Object.fromEntries(Object.entries(categories).map(([topic, flag]) => change(topic, flag === true))),
      scores,
    })),
  }))

describe('The checks of moderations', () => {
  it('find nothing wrong with an adapter that is right', async () => {
    expect(await findings(adapter())).toBe('')
  })

  it.each<[string, Partial<Judge>, string]>([
    [
      'asks at another path',
      { request: ({ model, inputs }) => ({ ...requestOf(model, contentsOf(inputs)), url: '/judge' }) },
      'POST /judge',
    ],
    [
      'sends an unknown field',
      {
        request: ({ model, inputs }) => ({
          ...requestOf(model, []),
          body: { json: { model, contents: contentsOf(inputs), n: 1 } },
        }),
      },
      'the fields are model and contents',
    ],
    [
      'sends only the first content',
      { request: ({ model, inputs }) => requestOf(model, contentsOf(inputs).slice(0, 1)) },
      'Callers get',
    ],
    [
      'cuts texts',
      {
        request: ({ model, inputs }) =>
          requestOf(
            model,
            contentsOf(inputs).map(({ text, images }) => ({ text: text.slice(0, 20), images })),
          ),
      },
      'different strings',
    ],
    [
      'lets go of images',
      {
        request: ({ model, inputs }) =>
          requestOf(
            model,
            contentsOf(inputs).map(({ text }) => ({ text, images: [] })),
          ),
      },
      'flagged: false',
    ],
    [
      'lets go of line breaks',
      {
        request: ({ model, inputs }) =>
          requestOf(
            model,
            contentsOf(inputs).map(({ text, images }) => ({ text: text.replaceAll('\n', ' '), images })),
          ),
      },
      'different strings',
    ],
    ['sends more contents than the vendor takes', { batch: undefined }, 'at most'],
    ['sends images as texts only', { images: false }, 'Callers get status 400'],
    ['serves models that do not classify', { serves: () => true }, 'chat-1 does not classify'],
    ['turns results around', changed(({ results }) => ({ results: results.toReversed() })), 'For content'],
    [
      'repeats the first result',
      changed(({ results }) => ({ results: results.map(() => results[0] as never) })),
      'For content',
    ],
    ['never flags', mapped((topic) => [topic, false]), 'flagged: false'],
    ['always flags', mapped((topic) => [topic, true]), 'flagged: true'],
    ['has the vendor’s names', mapped((topic, flag) => [NAMES[topic as ModerationTopic], flag]), 'the categories'],
    [
      'takes one category for another',
      mapped((topic, flag) => [topic === 'hate' ? 'sexual' : topic === 'sexual' ? 'hate' : topic, flag]),
      'the categories',
    ],
    ['loses a category', mapped((topic, flag) => [topic, topic === 'self-harm' ? null : flag]), 'flagged: false'],
    [
      'has percentages as scores',
      changed(({ results }) => ({
        results: results.map(({ categories, scores }) => ({
          categories,
          scores: Object.fromEntries(Object.entries(scores).map(([topic, score]) => [topic, score * 100])),
        })),
      })),
      'Callers get status 500',
    ],
    [
      'has no scores of what it found',
      changed(({ results }) => ({
        results: results.map(({ categories, scores }) => ({
          categories,
          scores: Object.fromEntries(Object.keys(scores).map((topic) => [topic, 0])),
        })),
      })),
      'no score above 0',
    ],
    ['reports wrong usage', changed((answer) => ({ ...answer, usage: { input: 7, output: 0 } })), 'The usage row has'],
    [
      'takes an empty finding for harmless',
      {
        response: (answer) =>
          judged({
            ...answer,
            body: {
              judged: objects(object(answer.body)?.['judged']).map(({ found }) => ({
                found: objects(found).filter(({ name }) => name !== null),
              })),
            },
          }),
      },
      'whose values are all empty',
    ],
    [
      'takes any failure for harmless',
      {
        response: (answer, { inputs }) => {
          const known = objects(object(answer.body)?.['judged'])
          return judged({ ...answer, body: { judged: known.length > 0 ? known : inputs.map(() => ({ found: [] })) } })
        },
      },
      'an empty response',
    ],
    [
      'fills up missing results',
      {
        response: (answer, { inputs }) => {
          const known = objects(object(answer.body)?.['judged'])
          if (known.length === 0) throw new Error('none')
          return judged({ ...answer, body: { judged: inputs.map((_, nth) => known[nth] ?? { found: [] }) } })
        },
      },
      'fewer results than contents',
    ],
  ])('find an adapter that %s', async (_, deviation, message) => {
    expect(await findings(adapter(deviation))).toContain(message)
  })

  it('find an adapter without a credential, and one that repeats its key', async () => {
    expect(await findings(adapter({}, { credential: { kind: 'none' } }))).toContain('x-key')
    const readError: Provider['readError'] = ({ status, body }) =>
      status < 400 ? undefined : { kind: 'invalid-request', message: JSON.stringify(body) }
    expect(await findings(adapter({}, { readError }))).toMatch(/failure|exposed/)
  })

  describe('of a guard model', () => {
    const model = 'llama-guard-4'
    const own = guardModerations({ model, path: '/v1/chat/completions', otherModel: 'chat-1' })
    const guard = guardsSupport('/v1/chat/completions') as Judge
    const said = ({ body }: HttpResponse): string =>
      String(object(object(objects(object(body)?.['choices'])[0])?.['message'])?.['content'])
    const verdict = (isHate: boolean): ModerationsResponse => ({
      results: [{ categories: { hate: isHate }, scores: { hate: isHate ? 1 : 0 } }],
    })

    it('find nothing wrong with the preset', async () => {
      expect(await findings(adapter(guard), own)).toBe('')
    })

    it.each<[string, Partial<Judge>, string]>([
      [
        'flags only what begins with unsafe',
        { response: (answer) => verdict(said(answer).startsWith('unsafe')) },
        'flagged: false',
      ],
      ['finds no verdict harmless', { response: (answer) => verdict(said(answer).includes('unsafe')) }, 'a refusal'],
      [
        'knows no codes',
        {
          response: (answer) => {
            const at = said(answer).trim()
            if (!/^(un)?safe/.test(at)) throw new Error('none')
            return verdict(at.startsWith('unsafe'))
          },
        },
        'the categories hate, expected',
      ],
      [
        'asks for a stream',
        {
          request: (input, call) => {
            const asked = guard.request(input, call)
            return { ...asked, body: { json: { ...object((asked.body as { json: unknown }).json), stream: true } } }
          },
        },
        'not streamed',
      ],
    ])('find an adapter that %s', async (_, deviation, message) => {
      expect(await findings(adapter({ ...guard, ...deviation }), own)).toContain(message)
    })
  })
})
