import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { scenarios, startUpstream, vendorOf } from '@headgate/conformance'
import type { Gateway } from '@headgate/gateway'
import { openai } from '@headgate/provider-openai'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApplicationGateway } from '../src/gateway.ts'
import { servers } from '../src/servers.ts'

const KEY = 'sk-of-ada'
const MODEL = 'gpt-4.1'
const QUESTION = [{ role: 'user', content: 'Hello' }] as const
const CONTENTS = 'Hello'

interface Booking {
  readonly user: string
  readonly nanoDollars: number | null
}

interface Example {
  readonly url: string
  readonly books: readonly Booking[]
}

/** An example with a provider of this machine behind it, for the length of one test. */
async function open(serve: (gateway: Gateway) => Server | Promise<Server>): Promise<Example> {
  const upstream = await startUpstream()
  upstream.answer(vendorOf(scenarios.text, 'chat-completions'))
  const books: Booking[] = []
  const gateway = createApplicationGateway({
    providers: [openai({ apiKey: 'k', baseUrl: `${upstream.origin}/v1` })],
    findUser: async (key) => (key === KEY ? { id: 'ada' } : undefined),
    book: async (user, nanoDollars) => void books.push({ user, nanoDollars }),
  })
  const server = await serve(gateway)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await gateway.close()
    await upstream.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, books }
}

/** Each SDK with its base URL under that of the gateway: what it makes of a whole answer, and of a stream. */
const SDKS: Readonly<Record<string, (url: string) => { whole(): Promise<unknown>; streamed(): Promise<unknown> }>> = {
  openai(url) {
    const { completions } = new OpenAI({ apiKey: KEY, baseURL: `${url}/ai/v1`, maxRetries: 0 }).chat
    const asked = { model: MODEL, messages: [...QUESTION] }
    return {
      whole: async () => (await completions.create(asked)).choices[0]?.message.content,
      streamed: async () => (await completions.stream(asked).finalChatCompletion()).choices[0]?.message.content,
    }
  },
  anthropic(url) {
    const { messages } = new Anthropic({ apiKey: KEY, baseURL: `${url}/ai`, maxRetries: 0 })
    const asked = { model: MODEL, max_tokens: 100, messages: [...QUESTION] }
    return {
      whole: async () => textOf((await messages.create(asked)).content),
      streamed: async () => messages.stream(asked).finalText(),
    }
  },
  google(url) {
    const { models } = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: `${url}/ai` } })
    const asked = { model: MODEL, contents: CONTENTS }
    return {
      whole: async () => (await models.generateContent(asked)).text,
      async streamed() {
        let text = ''
        for await (const chunk of await models.generateContentStream(asked)) text += chunk.text ?? ''
        return text
      },
    }
  },
}

function textOf(content: readonly Anthropic.ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

describe.each(Object.entries(servers))('A gateway inside %s', (_, serve) => {
  it.each(Object.entries(SDKS))(
    'serves the SDK of %s under its base path, whole and streamed, and books what its user spent',
    async (_, sdk) => {
      const { url, books } = await open(serve)
      const { whole, streamed } = sdk(url)
      const answer = await whole()
      expect(answer).toEqual(expect.stringMatching(/\w/))
      expect(await streamed()).toBe(answer)
      expect(books).toEqual([
        { user: 'ada', nanoDollars: expect.any(Number) },
        { user: 'ada', nanoDollars: expect.any(Number) },
      ])
    },
  )

  it('asks the application who calls', async () => {
    const { url, books } = await open(serve)
    const stranger = new OpenAI({ apiKey: 'sk-of-nobody', baseURL: `${url}/ai/v1`, maxRetries: 0 })
    await expect(stranger.chat.completions.create({ model: MODEL, messages: [...QUESTION] })).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    })
    expect(books).toEqual([])
  })

  it('leaves all other paths to the application', async () => {
    const { url } = await open(serve)
    expect(await (await fetch(url)).text()).toMatch(/^Hello from /)
    const answer = await fetch(`${url}/ai/v1/nowhere`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { error: { message: expect.stringContaining('/ai/openapi.json') } },
    ])
  })
})
