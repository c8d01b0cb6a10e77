import type { Json } from '@headgate/core/provider'
import { createGateway, type Gateway, type ProviderInstance } from '@headgate/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestFor } from '../../core/test/specifications/directions.ts'
import { readDocument, specifications } from '../../core/test/specifications/documents.ts'
import { readSpecification, type Specification } from '../../core/test/specifications/validator.ts'
import { FORMATS, type KitFormat, type LoopbackUpstream, startUpstream, wires } from '../src/index.ts'
import { SPECIFIED, type Specified } from './specified.ts'

if (specifications === undefined)
  process.stderr.write('Requests to providers are not checked: HEADGATE_SPECS names no folder.\n')

const PROVIDERS = Object.keys(SPECIFIED)
/** At least this share of the requests must be sent: others need what the provider has not. */
const LEAST_SENT = 0.7

const validators = new Map<Specified, Specification>()

async function providerAt(id: string, origin: string): Promise<ProviderInstance> {
  const adapter = (await import(`../../providers/${id}/src/index.ts`))[id]
  const { pathname } = new URL(adapter({ apiKey: 'k' }).baseUrl)
  return adapter({ apiKey: 'zebra.of.the.specification', baseUrl: `${origin}${pathname === '/' ? '' : pathname}` })
}

/** The schema of a request that has no name. */
function schemaAt(file: string, path: string): Json {
  const paths = readDocument(file)['paths'] as Record<
    string,
    { post: { requestBody: { content: Record<string, { schema: Json }> } } }
  >
  return paths[path]?.post.requestBody.content['application/json']?.schema ?? {}
}

function validatorFor(specified: Specified): Specification {
  const { file, root, path, overlaps = false, open = false } = specified
  const known =
    validators.get(specified) ?? readSpecification({ file, root: root ?? schemaAt(file, path), overlaps, open })
  validators.set(specified, known)
  return known
}

/** What goes up to a provider is what its vendor's specification allows, whatever callers send. */
describe.runIf(specifications !== undefined)('A request to', () => {
  let upstream: LoopbackUpstream
  let gateway: Gateway
  beforeAll(async () => {
    upstream = await startUpstream()
    // Only the request matters.
    upstream.answer({ kind: 'whole', status: 400, body: { error: { message: 'No.' } } })
    gateway = createGateway({
      providers: await Promise.all(PROVIDERS.map((id) => providerAt(id, upstream.origin))),
      authenticate: () => ({ id: 'me' }),
      ledger: { settle() {} },
      retries: { least: 0 },
    })
  })
  afterAll(() => Promise.all([gateway?.close(), upstream?.close()]))

  async function problemsOf(id: string, from: KitFormat, seed: number): Promise<string[] | undefined> {
    const { model, format, requests } = SPECIFIED[id] as (typeof SPECIFIED)[string]
    const generated = requestFor(seed, from, requests.length > 1 && from === 'responses' ? from : format, model)
    if (!generated) return undefined
    // A request in the background would arrive later.
    const { background: _, ...request } = generated
    const stream = request['stream'] === true
    upstream.answer({ kind: 'whole', status: 400, body: { error: { message: 'No.' } } })
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json', vendor: id }
    const url = `http://localhost${wires[from].path(model, stream)}`
    const response = await gateway.fetch(new Request(url, { method: 'POST', headers, body: JSON.stringify(request) }))
    const [sent] = upstream.received
    await response.body?.cancel()
    if (!sent) return undefined
    const specified = requests.find(({ path }) => sent.path.includes(path))
    // A path without a specification is not checked.
    if (!specified) return []
    const breaches = validatorFor(specified)(sent.body)
    return breaches.some((one) => specified.beyond?.test(one))
      ? []
      : breaches.map((problem) => `${specified.path} ${problem}`)
  }

  async function findings(id: string, count: number): Promise<string[]> {
    const problems = new Map<string, string>()
    let sent = 0
    for (const from of FORMATS) {
      for (let seed = 0; seed < count; seed++) {
        const found = await problemsOf(id, from, seed)
        if (found) sent += 1
        for (const problem of found ?? []) problems.set(`${from}: ${problem}`, `seed ${seed}`)
      }
    }
    if (sent < count * FORMATS.length * LEAST_SENT) problems.set('requests', `only ${sent} are sent`)
    return [...problems].map(([problem, seed]) => `${problem} (${seed})`)
  }

  it.each(PROVIDERS)('%s is valid, 400 times', { tags: ['full'] }, async (id) => {
    expect(await findings(id, 100)).toEqual([])
  })
})
