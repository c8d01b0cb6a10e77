import Anthropic from '@anthropic-ai/sdk'
import { type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import {
  type LoopbackUpstream,
  type Received,
  type RequestMeaning,
  type ScriptedTurn,
  scripted,
  startUpstream,
} from '@headgate/conformance'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { API_KEY, gatewayFolder } from './gateway.ts'
import { type LocalGateway, openGateway } from './local-gateway.ts'
import { brave, linkOf } from './search-vendors.ts'

const MODEL = 'small'
const QUESTION = 'How does a gateway route?'
const ANSWER = 'By the model that is named [2].'

/** Searches by the function that it is offered, and has what it says from the second page. */
function searching({ said, tools = [] }: RequestMeaning): ScriptedTurn {
  const isFound = said.some((one) => 'result' in one)
  return isFound
    ? { text: ANSWER }
    : { call: { id: 'call_1', name: tools[0]?.name ?? '', arguments: { query: 'routing' } } }
}

/** What a client makes of a cited answer. */
interface Cited {
  readonly text: string
  readonly sources: readonly (string | null | undefined)[]
}

interface Searcher {
  readonly name: string
  ask(url: string, stream: boolean): Promise<Cited>
}

const openai = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: API_KEY, maxRetries: 0 })

const chat: Searcher = {
  name: 'openai with web_search_options',
  async ask(url, stream) {
    const request = { model: MODEL, messages: [{ role: 'user' as const, content: QUESTION }], web_search_options: {} }
    type Said = Partial<Pick<OpenAI.ChatCompletionMessage, 'content' | 'annotations'>>
    const said: Said[] = []
    if (stream)
      for await (const { choices } of await openai(url).chat.completions.create({ ...request, stream })) {
        if (choices[0]) said.push(choices[0].delta)
      }
    else said.push((await openai(url).chat.completions.create(request)).choices[0]?.message ?? {})
    const annotations = said.flatMap((one) => one.annotations ?? [])
    return {
      text: said.map(({ content }) => content ?? '').join(''),
      sources: annotations.map((one) => one.url_citation.url),
    }
  },
}

const responses: Searcher = {
  name: 'openai with web_search of the responses format',
  async ask(url, stream) {
    const request = { model: MODEL, input: QUESTION, tools: [{ type: 'web_search' as const }] }
    const answer = stream
      ? await openai(url).responses.stream(request).finalResponse()
      : await openai(url).responses.create(request)
    expect(answer.output.map(({ type }) => type)).toEqual(['web_search_call', 'message'])
    const parts = answer.output.flatMap((item) => (item.type === 'message' ? item.content : []))
    const annotations = parts.flatMap((part) => (part.type === 'output_text' ? part.annotations : []))
    return {
      text: answer.output_text,
      sources: annotations.map((one) => (one.type === 'url_citation' ? one.url : undefined)),
    }
  },
}

const messages: Searcher = {
  name: '@anthropic-ai/sdk with web_search_20250305',
  async ask(url, stream) {
    const client = new Anthropic({ baseURL: url, apiKey: API_KEY, maxRetries: 0 })
    const request = {
      model: MODEL,
      max_tokens: 1_024,
      messages: [{ role: 'user' as const, content: QUESTION }],
      tools: [{ type: 'web_search_20250305' as const, name: 'web_search' as const, max_uses: 2 }],
    }
    const { content } = stream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request)
    expect(content.map(({ type }) => type)).toEqual(['server_tool_use', 'web_search_tool_result', 'text'])
    const texts = content.flatMap((block) => (block.type === 'text' ? [block] : []))
    const citations = texts.flatMap((block) => block.citations ?? [])
    return {
      text: texts.map(({ text }) => text).join(''),
      sources: citations.map((one) => (one.type === 'web_search_result_location' ? one.url : undefined)),
    }
  },
}

const generateContent: Searcher = {
  name: '@google/genai with googleSearch',
  async ask(url, stream) {
    const { models } = new GoogleGenAI({ apiKey: API_KEY, httpOptions: { baseUrl: url } })
    const request = { model: MODEL, contents: QUESTION, config: { tools: [{ googleSearch: {} }] } }
    const pieces: GenerateContentResponse[] = []
    if (stream) for await (const piece of await models.generateContentStream(request)) pieces.push(piece)
    else pieces.push(await models.generateContent(request))
    const grounds = pieces.flatMap(({ candidates }) => candidates?.[0]?.groundingMetadata?.groundingChunks ?? [])
    return { text: pieces.map(({ text }) => text ?? '').join(''), sources: grounds.map(({ web }) => web?.uri) }
  },
}

describe('A web search of a model whose server speaks chat completions and does not search', () => {
  let upstream: LoopbackUpstream
  let backend: LoopbackUpstream
  let gateway: LocalGateway
  let remove = (): void => {}
  let searched: Received[] = []
  beforeAll(async () => {
    upstream = await startUpstream()
    backend = await startUpstream()
    const folder = gatewayFolder(
      { 'our-server': { adapter: 'openai-compatible', baseUrl: `${upstream.origin}/v1`, models: [MODEL] } },
      { search: { backends: { brave: { apiKey: 'key-of-the-backend', baseUrl: backend.origin } } } },
      ['packages/search/brave'],
    )
    remove = folder.remove
    gateway = await openGateway(folder.path)
  })
  beforeEach(() => {
    searched = []
    upstream.answer(scripted(searching, 'chat-completions'))
    backend.answer((request) => {
      searched.push(request)
      return brave(request)
    })
  })
  afterAll(async () => {
    await gateway?.end()
    remove()
    await Promise.all([upstream?.close(), backend?.close()])
  })

  describe.each([chat, responses, messages, generateContent])('gives $name', ({ ask }) => {
    it.each([false, true])('a cited answer, by the backend of the gateway; streamed: %s', async (stream) => {
      expect(await ask(gateway.url, stream)).toEqual({ text: ANSWER, sources: [linkOf('brave', 2)] })
      expect(searched.map(({ query }) => query.get('q'))).toEqual(['routing'])
    })
  })
})
