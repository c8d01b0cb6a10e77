import { type RequestMeaning, scripted, startUpstream } from '@headgate/conformance'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { API_KEY, type GatewayProcess, gatewayFolder, startGateway } from './gateway.ts'

/** Says how many turns it was told of. */
const counting = ({ said }: RequestMeaning) => ({ text: `turn ${said.length}` })

type Format = 'messages' | 'generate-content' | 'chat-completions'

describe('A conversation that the official client goes on with by ids alone', () => {
  const remembers =
    'remembers five turns with a provider of %s, though the program is killed between them; those of another project find nothing'
  it.each<Format>(['messages'])(remembers, converse)
  it.each<Format>(['generate-content', 'chat-completions'])(remembers, { tags: ['full'] }, converse)
})

async function converse(format: Format): Promise<void> {
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  upstream.answer(scripted(counting, format))
  const base = {
    messages: ['anthropic', 'claude-sonnet-4-6', ''],
    'generate-content': ['google', 'gemini-3.5-flash', ''],
  } as const
  const [name, model, path] = format === 'chat-completions' ? (['openai', 'gpt-5.4', '/v1'] as const) : base[format]
  const settings = {
    apiKey: 'key-of-the-provider',
    baseUrl: `${upstream.origin}${path}`,
    ...(name === 'openai' && { responses: false }),
  }
  const folder = gatewayFolder(
    { [name]: settings },
    { keys: [API_KEY, { key: 'sk-local-of-another-caller', project: 'another' }] },
  )
  onTestFinished(folder.remove)
  let gateway: GatewayProcess = await startGateway(folder.path)
  onTestFinished(() => gateway.end('SIGTERM'))
  const client = (apiKey = API_KEY) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
  let previous: string | undefined
  for (let turn = 1; turn <= 5; turn++) {
    const request = {
      model,
      input: `question ${turn}`,
      ...(previous !== undefined && { previous_response_id: previous }),
    }
    const answer =
      turn % 2 === 0
        ? await client().responses.stream(request).finalResponse()
        : await client().responses.create(request)
    expect(answer.output_text).toBe(`turn ${2 * turn - 1}`)
    previous = answer.id
    if (turn === 2 || turn === 4) {
      await gateway.end('SIGKILL')
      gateway = await startGateway(folder.path)
    }
  }
  const id = previous ?? ''
  expect((await client().responses.retrieve(id)).output_text).toBe('turn 9')
  const items: string[] = []
  for await (const item of client().responses.inputItems.list(id, { order: 'asc', limit: 3 })) items.push(item.type)
  expect(items).toHaveLength(9)
  const another = client('sk-local-of-another-caller')
  await expect(another.responses.create({ model, input: 'Mine?', previous_response_id: id })).rejects.toMatchObject({
    status: 404,
  })
  await expect(another.responses.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
  await client().responses.delete(id)
  await expect(client().responses.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
}
