import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type LoopbackUpstream, startUpstream } from '@headgate/conformance'
import { createGateway, type Gateway } from '@headgate/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { google } from '../src/index.ts'

/** What was recorded of one call of `batchEmbedContents`. */
interface Recording {
  readonly id: string
  readonly model: string
  readonly request: {
    readonly requests: readonly { readonly content: { readonly parts: readonly { readonly text: string }[] } }[]
  }
  readonly responseBody: string
}

interface Answer {
  readonly embeddings: readonly { readonly values: readonly number[] }[]
  readonly usageMetadata?: { readonly promptTokenCount: number }
}

const folder = process.env['HEADGATE_RECORDINGS'] || undefined
if (folder === undefined)
  process.stderr.write('Recorded embeddings are left out: HEADGATE_RECORDINGS names no folder.\n')

function readRecordings(): Recording[] {
  if (folder === undefined) return []
  const lines = gunzipSync(readFileSync(join(folder, 'dev.jsonl.gz')))
    .toString('utf8')
    .split('\n')
  return lines.flatMap((text) => {
    if (!text.includes(':batchEmbedContents')) return []
    const line = JSON.parse(text) as Recording & { readonly family: string; readonly responseStatus: number }
    return line.family === 'embeddings' && line.responseStatus === 200 ? [line] : []
  })
}

/** Traffic of the real API. Nothing of it is in the repository, nor in what these tests say: ids only. */
describe.runIf(folder !== undefined)('Recorded embeddings of Google', () => {
  let upstream: LoopbackUpstream
  let gateway: Gateway
  beforeAll(async () => {
    upstream = await startUpstream()
    gateway = createGateway({
      providers: [google({ apiKey: 'k', baseUrl: upstream.origin })],
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
    })
  })
  afterAll(() => Promise.all([gateway?.close(), upstream?.close()]))

  async function ask(path: string, body: string, recording: Recording): Promise<string> {
    upstream.answer({ kind: 'whole', body: recording.responseBody, headers: { 'content-type': 'application/json' } })
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json', vendor: 'google' }
    const answer = await gateway.fetch(new Request(`http://localhost${path}`, { method: 'POST', body, headers }))
    return answer.text()
  }

  it('pass as they are to clients of the Gemini API, and are the same numbers to those of OpenAI', async () => {
    const recordings = readRecordings()
    expect(recordings.length).toBeGreaterThan(0)
    const problems: string[] = []
    for (const recording of recordings) {
      const { id, model, request, responseBody } = recording
      const passed = await ask(`/v1beta/models/${model}:batchEmbedContents`, JSON.stringify(request), recording)
      if (passed !== responseBody) problems.push(`${id}: the answer differs`)
      const posts = upstream.received.filter(({ method }) => method === 'POST')
      if (JSON.stringify(posts[0]?.body) !== JSON.stringify(request)) problems.push(`${id}: the request differs`)

      const due = JSON.parse(responseBody) as Answer
      const input = request.requests.map(({ content }) => content.parts.map(({ text }) => text).join(' '))
      const read = JSON.parse(await ask('/v1/embeddings', JSON.stringify({ model, input }), recording)) as {
        readonly data: readonly { readonly embedding: readonly number[] }[]
        readonly usage?: { readonly prompt_tokens: number }
      }
      const vectors = read.data.map(({ embedding }) => embedding)
      if (JSON.stringify(vectors) !== JSON.stringify(due.embeddings.map(({ values }) => values)))
        problems.push(`${id}: the numbers differ`)
      if (read.usage?.prompt_tokens !== due.usageMetadata?.promptTokenCount) problems.push(`${id}: the tokens differ`)
    }
    expect(problems).toEqual([])
  })
})
