import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CALLER_KEY, startUpstream } from '@headgate/conformance'
import { createGateway } from '@headgate/gateway'
import { CohereClientV2 } from 'cohere-ai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cohere } from '../src/index.ts'

const QUESTION = 'Which of them is about rivers?'
const DOCUMENTS = ['A page about mountains.', 'A page about rivers and their banks.', '狐']
const ASKED = { model: 'rerank-v3.5', query: QUESTION, documents: DOCUMENTS, topN: 2, maxTokensPerDoc: 500 }
/** Written from https://docs.cohere.com/v2/reference/rerank */
const ANSWER = {
  id: '07734bd2-2473-4f07-94e1-0d9f0e6843cf',
  results: [
    { index: 1, relevance_score: 0.98 },
    { index: 0, relevance_score: 0.12 },
  ],
  meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
}

/** An upstream that answers so, and a gateway in front of it, on a socket. */
async function start() {
  const upstream = await startUpstream()
  onTestFinished(() => upstream.close())
  const body = JSON.stringify(ANSWER)
  upstream.answer({ kind: 'whole', body, headers: { 'content-type': 'application/json' } })
  const gateway = createGateway({
    providers: [cohere({ apiKey: 'k', baseUrl: upstream.origin })],
    authenticate: () => ({ id: 'me' }),
    ledger: { settle() {} },
  })
  const server = createServer((request, response) => gateway.node(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await gateway.close()
  })
  return { upstream, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe("Cohere's own client", () => {
  it('sends the bytes that this package sends for the same request', async () => {
    const { upstream, url } = await start()
    await new CohereClientV2({ token: 'k', environment: upstream.origin }).rerank(ASKED)
    await new CohereClientV2({ token: CALLER_KEY, environment: url }).rerank(ASKED)
    const [own, ours] = upstream.received
    expect([own?.path, own?.headers['authorization'], own?.body]).toEqual([
      ours?.path,
      ours?.headers['authorization'],
      ours?.body,
    ])
    expect(Object.keys(Object(ours?.body))).toEqual(
      expect.arrayContaining(['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc']),
    )
  })

  it('reads what the gateway answers as what Cohere answers', async () => {
    const { upstream, url } = await start()
    const due = await new CohereClientV2({ token: 'k', environment: upstream.origin }).rerank(ASKED)
    const found = await new CohereClientV2({ token: CALLER_KEY, environment: url }).rerank(ASKED)
    expect(found.results).toEqual(due.results)
    expect(found.meta?.billedUnits).toEqual(due.meta?.billedUnits)
  })
})
