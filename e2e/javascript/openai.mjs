// OpenAI's client in the ways in which other programs use it, each named by its variant.

import OpenAI, { AzureOpenAI } from 'openai'
import { apiKey, embeddingModel, listOf, model, question, tell, texts, url, variant } from './trial.mjs'

const ORIGIN = 'app://obsidian.md'
const plain = { apiKey, maxRetries: 0 }

/** What a browser engine checks before it sends a request of an app, and before the app can read the answer. */
async function fetchAsApp(input, init) {
  const headers = new Headers(init.headers)
  const wanted = [...headers.keys()].filter((name) => name !== 'accept').join(',')
  const asks = {
    origin: ORIGIN,
    'access-control-request-method': init.method,
    'access-control-request-headers': wanted,
  }
  const preflight = await fetch(input, { method: 'OPTIONS', headers: asks })
  const allowed =
    preflight.headers
      .get('access-control-allow-headers')
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? []
  const refused = wanted.split(',').filter((name) => !allowed.includes(name))
  if (!preflight.ok || preflight.headers.get('access-control-allow-origin') !== ORIGIN || refused.length > 0)
    throw new Error(`preflight: ${preflight.status}, ${refused.join()} not allowed`)
  headers.set('origin', ORIGIN)
  const answer = await fetch(input, { ...init, headers })
  if (answer.headers.get('access-control-allow-origin') !== ORIGIN) throw new Error('The app cannot read the answer.')
  return answer
}

const CLIENTS = {
  completions: () => new OpenAI({ ...plain, baseURL: `${url}/v1` }),
  'without-version': () => new OpenAI({ ...plain, baseURL: url }),
  azure: () => new AzureOpenAI({ ...plain, endpoint: url, apiVersion: '2024-10-21' }),
  origin: () => new OpenAI({ ...plain, baseURL: `${url}/v1`, fetch: fetchAsApp, dangerouslyAllowBrowser: true }),
}

const client = CLIENTS[variant]()
const messages = [{ role: 'user', content: question }]
const asked = variant === 'completions' ? { model, prompt: question } : { model, messages }
const api = variant === 'completions' ? client.completions : client.chat.completions
const textOf = ({ text, message, delta }) => text ?? (message ?? delta).content ?? ''

await tell({
  answer: async () => textOf((await api.create(asked)).choices[0]),
  stream: async () => {
    const chunks = await listOf(await api.create({ ...asked, stream: true }))
    return chunks.flatMap(({ choices }) => choices.map(textOf)).filter((text) => text !== '')
  },
  models: async () =>
    (await listOf(client.models.list())).some(({ id, created }) => id === model && Number.isInteger(created)),
  embeddings:
    embeddingModel &&
    (async () => [
      (await client.embeddings.create({ model: embeddingModel, input: texts })).data.map(({ embedding }) => embedding),
    ]),
})
