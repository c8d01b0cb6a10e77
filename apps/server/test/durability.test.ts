import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { scenarios, startUpstream, type Upstream, vendorOf } from '@headgate/conformance'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_KEY, gatewayFolder, startGateway } from './sdk/gateway.ts'

/** Programs at once, each with a folder of its own that it comes back to after every kill. */
const LANES = 4
const usage = scenarios.text.meaning.usage

describe('The usage rows of a gateway', () => {
  let upstream: Upstream
  beforeAll(async () => {
    upstream = await startUpstream()
    upstream.answer(vendorOf(scenarios.text, 'chat-completions'))
    await warmUp(upstream)
  })
  afterAll(() => upstream.close())

  const afterKills = async (kills: number): Promise<void> => {
    const lanes = Array.from({ length: LANES }, (_, lane) => killInTurn(upstream, kills / LANES, lane))
    const missing = (await Promise.all(lanes)).flat()
    expect(missing).toEqual([])
  }
  const name = 'are all there after %i times kill -9 right after the last byte of an answer, whole or streamed'
  it.each([8])(name, { timeout: 60_000 }, afterKills)
  it.each([100])(name, { timeout: 120_000, tags: ['full'] }, afterKills)
})

/** Starts, asks and kills again and again in one folder. Resolves with the requests whose row is missing or wrong. */
async function killInTurn(upstream: Upstream, kills: number, lane: number): Promise<string[]> {
  const folder = folderFor(upstream)
  try {
    const asked: string[] = []
    for (let kill = 0; kill < kills; kill++) {
      const gateway = await startGateway(folder.path)
      try {
        asked.push(await askToTheLastByte(gateway.url, (kill + lane) % 2 === 0))
      } finally {
        await gateway.end('SIGKILL')
      }
    }
    const rows = usageRows(folder.path)
    return asked.filter((id) => !rows.has(id))
  } finally {
    folder.remove()
  }
}

function folderFor({ origin }: Upstream): ReturnType<typeof gatewayFolder> {
  return gatewayFolder({ openai: { apiKey: 'key-of-the-provider', baseUrl: `${origin}/v1`, models: ['gpt-4.1'] } })
}

/** A program that is killed leaves nothing behind of what it compiled. One that ends in order does, and the others start faster. */
async function warmUp(upstream: Upstream): Promise<void> {
  const folder = folderFor(upstream)
  const gateway = await startGateway(folder.path)
  await gateway.end('SIGTERM')
  folder.remove()
}

/** Resolves with the id of the request as soon as the last byte of its answer has come, before the connection says that it was the last. */
function askToTheLastByte(url: string, stream: boolean): Promise<string> {
  const body = { model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hello.' }], stream }
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const request = httpRequest(`${url}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
  })
  request.on('error', reject)
  request.on('response', (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (piece: string) => {
      text += piece
      const isWhole = stream ? text.endsWith('data: [DONE]\n\n') : Buffer.byteLength(text) === Number(response.headers['content-length'])
      if (isWhole) resolve(String(response.headers['x-request-id']))
    })
    response.on('error', reject)
    response.on('close', () => reject(new Error(`The answer ended before its last byte: ${response.statusCode} ${text}`)))
  })
  request.end(JSON.stringify(body))
  return promise
}

/** Ids of the requests that were settled, with the usage that the upstream reported. */
function usageRows(folder: string): Set<string> {
  const database = new DatabaseSync(join(folder, '.headgate', 'headgate.db'))
  try {
    const rows = database
      .prepare('SELECT request_id FROM usage WHERE status = 200 AND input = ? AND output = ?')
      .all(usage?.input ?? null, usage?.output ?? null)
    return new Set(rows.map((row) => String(row['request_id'])))
  } finally {
    database.close()
  }
}
