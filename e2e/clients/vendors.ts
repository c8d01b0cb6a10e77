import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VendorClient } from '../../apps/server/test/sdk/client.ts'
import { VENDOR_CLIENTS } from '../../apps/server/test/sdk/clients.ts'
import { EARLIER_VENDOR_CLIENTS } from '../../apps/server/test/sdk/earlier.ts'
import { EMBEDDERS } from '../../apps/server/test/sdk/embedders.ts'
import { scenarios } from '../../packages/conformance/src/families/chat/scenarios/index.ts'
import { wires } from '../../packages/conformance/src/families/chat/wire/index.ts'
import type { Packages } from '../installation.ts'
import { nameOf, type Outcome, type Outcomes, type Trial, type WorkspaceClient } from './client.ts'
import { WEATHER } from './model.ts'

const MANIFEST = join(import.meta.dirname, '../../package.json')

/** Workspace names of packages, with the client names in the tests. */
const USED = [
  { dependency: 'openai-5', client: 'openai 5', embedder: 'openai 5' },
  { dependency: 'openai-6', client: 'openai 6', embedder: 'openai 6' },
  { dependency: 'openai', client: 'openai', embedder: 'openai 7' },
  { dependency: 'openai', client: 'openai', format: 'responses' },
  { dependency: '@anthropic-ai/sdk-0', client: '@anthropic-ai/sdk 0' },
  { dependency: '@anthropic-ai/sdk', client: '@anthropic-ai/sdk' },
  { dependency: '@google/genai-1', client: '@google/genai 1', embedder: '@google/genai 1 (Gemini API)' },
  { dependency: '@google/genai-2', client: '@google/genai 2', embedder: '@google/genai 2 (Gemini API)' },
  { dependency: '@google/genai', client: '@google/genai (Gemini API)', embedder: '@google/genai 3 (Gemini API)' },
] as const

/** Node clients of the vendors, which the tests of the program also use. */
export const VENDORS: readonly WorkspaceClient[] = USED.map(({ dependency, client: name, ...rest }) => {
  const format = 'format' in rest ? rest.format : undefined
  const client = [...VENDOR_CLIENTS, ...EARLIER_VENDOR_CLIENTS].find(
    (one) => one.name === name && (!format || one.format === format),
  )
  if (!client) throw new TypeError(`The tests have no client ${name}.`)
  const { [dependency]: given = '' }: Packages = JSON.parse(readFileSync(MANIFEST, 'utf8')).devDependencies
  const [, published = dependency, version = given] = /^npm:(.+)@(.+)$/.exec(given) ?? []
  return {
    name: nameOf(`${published} ${Number.parseInt(version, 10)}`, client.format),
    format: client.format,
    packages: { [published]: version },
    ask: (trial) => ask(client, trial, 'embedder' in rest ? rest.embedder : undefined),
  }
})

async function ask(client: VendorClient, trial: Trial, embedder: string | undefined): Promise<Outcomes> {
  const embeds = EMBEDDERS.filter(({ name }) => name === embedder)
  return {
    answer: await outcomeOf(() => answerOf(client, trial, false)),
    stream: await outcomeOf(() => answerOf(client, trial, true)),
    tool: await outcomeOf(() => tool(client, trial)),
    ...(embeds.length > 0 &&
      trial.embeddingModel !== undefined && { embeddings: await outcomeOf(() => embeddingsOf(embeds, trial)) }),
  }
}

async function answerOf(client: VendorClient, { url, model }: Trial, stream: boolean): Promise<string> {
  const { format } = client
  const answer = await client.send(scenarios.text.requests[format], { url, model, stream })
  return wires[format].readAnswer(answer).meaning.text
}

async function tool(client: VendorClient, { url, model }: Trial): Promise<string> {
  const { format } = client
  const question = { url, model, stream: false }
  const body = scenarios.tools.requests[format]
  const asks = await client.send(body, question)
  const answer = await client.send(wires[format].followUp(body, asks, [WEATHER]), question)
  return wires[format].readAnswer(answer).meaning.text
}

async function embeddingsOf(
  embedders: typeof EMBEDDERS,
  { url, embeddingModel: model = '', texts }: Trial,
): Promise<unknown> {
  return Promise.all(embedders.map((one) => one.embed({ url, model, texts })))
}

async function outcomeOf(check: () => Promise<unknown>): Promise<Outcome> {
  return check().then(
    (value) => ({ value }),
    (error: unknown) => ({ error: String(error) }),
  )
}
