import { join as inFolder } from 'node:path'
import { setTimeout as passed } from 'node:timers/promises'
import type { UsageRow } from '@headgate/gateway'
import { uuidv7 } from '@headgate/gateway/ports'
import { hashApiKey, openStore } from '@headgate/store'
import { fillStore } from '../../../bench/filled-store.ts'
import { trafficSlots } from '../../../bench/traffic.ts'
import { claim, join, type Person, ROLES, type Role } from './people.ts'
import { type Program, startProgram } from './program.ts'
import { makeKey } from './scene.ts'
import { MODELS, startUpstream } from './upstream.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const DOLLAR = 1_000_000_000

const ROWS = 1_000_000
/** The last whole month, whatever the day. */
const DAYS = 62
const [PROJECTS, KEYS, LISTED, PROVIDERS] = [20, 200, 96, 8]

/** A running program whose store has a million requests and what a company asks about them. */
export interface Million {
  readonly program: Program
  readonly people: Readonly<Record<Role, Person>>
  /** The store's file. */
  readonly file: string
  /** Ids of two requests: a provider refused the first, a budget the second. */
  readonly requests: Readonly<Record<'failed' | 'refused', { readonly id: string; readonly message: string }>>
  /** Id of the member's key. */
  readonly key: string
  stop(): Promise<void>
}

function config(baseUrl: string): object {
  const other = (models: readonly string[]) => ({
    adapter: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: 'secret-of-an-upstream',
    models,
  })
  const providers = Array.from({ length: PROVIDERS }, (_, provider) => [
    `provider-${provider}`,
    other(
      Array.from({ length: LISTED }, (__, model) => model)
        .filter((model) => model % PROVIDERS === provider)
        .map((model) => `vendor-${provider}/model-${model}`),
    ),
  ])
  return {
    store: { timeZone: 'UTC' },
    providers: {
      demo: {},
      acme: { adapter: 'openai-compatible', baseUrl, apiKey: 'secret-of-the-upstream', models: Object.values(MODELS) },
      ...Object.fromEntries(providers),
      overseas: other(['far']),
    },
    models: { resilient: ['acme/busy', 'demo/demo'] },
    prices: Object.fromEntries(
      ['demo/demo', 'overseas/far', ...Object.values(MODELS).map((model) => `acme/${model}`)].map((name) => [
        name,
        { input: 0.25, output: 2 },
      ]),
    ),
  }
}

export async function startMillion(): Promise<Million> {
  const upstream = await startUpstream({ isPlain: true })
  const stops = [async () => upstream.stop()]
  const stop = async (): Promise<void> => {
    for (const one of stops.toReversed()) await one()
  }
  try {
    const program = await startProgram(config(upstream.baseUrl), async (folder) =>
      fillStore(
        { file: inFolder(folder, '.headgate/headgate.db') },
        ROWS,
        trafficSlots(2 ** 14, { keys: KEYS, models: LISTED }),
        { days: DAYS, projects: PROJECTS },
      ),
    )
    stops.push(program.stop)
    const owner = await claim(program)
    const others = await Promise.all(
      ROLES.slice(1).map((role) =>
        join(program.origin, owner, role, `${role.slice(0, 1).toUpperCase()}${role.slice(1)} One`),
      ),
    )
    const people = Object.fromEntries([owner, ...others].map((person, place) => [ROLES[place], person])) as Record<
      Role,
      Person
    >
    const keys = await makeKeys(people)
    await setBudgets(people, keys)
    await writeEvents(inFolder(program.folder, '.headgate'), keys)
    const requests = {
      failed: await send(program, keys.crawler.secret, MODELS.refusing),
      refused: await send(program, keys.spent.secret, 'demo'),
    }
    await waitFor(
      owner,
      Object.values(requests).map(({ id }) => id),
    )
    const file = inFolder(program.folder, '.headgate/headgate.db')
    return { program, people, file, requests, key: keys.own.id, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Keys = Awaited<ReturnType<typeof makeKeys>>

async function makeKeys({ owner, member }: Readonly<Record<Role, Person>>) {
  const environment = 'production'
  await owner.ask('/organization', { keyDefaults: { limits: { requestsPerMinute: 60 } } }, 'PATCH')
  return {
    crawler: await makeKey(owner, { name: 'crawler', environment, project: 'prj_7' }),
    nightly: await makeKey(owner, { name: 'nightly', environment, project: 'prj_3' }),
    batch: await makeKey(owner, { name: 'batch', environment, project: 'prj_4' }),
    shared: await makeKey(owner, { name: 'shared', environment }),
    spent: await makeKey(owner, { name: 'spent', environment }),
    own: await makeKey(member, { name: 'notebook', environment: 'development' }),
  }
}

async function setBudgets({ owner, member }: Readonly<Record<Role, Person>>, keys: Keys): Promise<void> {
  const set = (scope: string, of: string, dollars: number, terms: object): Promise<unknown> =>
    owner.ask('/budgets', { scope, owner: of, limit: String(dollars * DOLLAR), ...terms })
  const { id } = await member.ask<{ id: string }>('/me')
  const { items } = await owner.ask<{ items: { id: string; project: string }[] }>('/keys?limit=500')
  const project = items.find((key) => key.id === keys.own.id)?.project ?? ''
  await set('project', 'prj_7', 2_000, { period: 'month', name: 'Crawling' })
  await set('key', keys.nightly.id, 50, { period: 'week', name: 'Nightly runs' })
  await set('key', keys.batch.id, 400, { period: 'day', name: 'Batches' })
  await set('key', keys.spent.id, 0, { period: 'day', name: 'Nothing left' })
  await set('key', keys.own.id, 5, { period: 'day', name: 'Notebook' })
  await set('member', id, 40, { period: 'month', name: 'All keys of a member' })
  await set('project', project, 60, { period: 'month', name: 'Everybody together' })
}

interface Event {
  readonly principal: string
  readonly at: number
  readonly provider: string
  readonly model: string
  /** Dollars. */
  readonly cost: number
  readonly isFailed?: boolean
}

/** Writes requests as the program does, beside it. */
async function writeEvents(dataDir: string, keys: Keys): Promise<void> {
  const store = await openStore({ dataDir, zone: 'UTC', onProblem: (message) => process.stderr.write(`${message}\n`) })
  for (const { secret } of Object.values(keys)) {
    const holder = await store.keys.findByHash(hashApiKey(secret))
    // Budgets are known of keys that were looked up.
    if (holder) store.budgets.bounds(holder)
  }
  await Promise.all(eventsOf(keys, Date.now()).map((event) => store.ledger.settle(rowOf(event))))
  await store.ledger.ingest()
  await store.close()
}

function eventsOf({ crawler, nightly, batch, shared, own }: Keys, now: number): readonly Event[] {
  const times = (count: number, event: (place: number) => Event): Event[] =>
    Array.from({ length: count }, (_, n) => event(n))
  const usual = { provider: 'provider-1', model: 'vendor-1/model-1' }
  const recent = (place: number): number => now - MINUTE - place * 10_000
  return [
    // The increase of this week: one project, all of its days.
    ...times(800, (n) => ({ ...usual, principal: crawler.id, at: now - HOUR - n * ((6 * DAY) / 800), cost: 0.5 })),
    // A provider that served until 23 minutes ago.
    ...times(120, (n) => {
      const at = now - n * 30_000 - 5_000
      const isFailed = at >= now - 22 * MINUTE
      return { principal: crawler.id, at, provider: 'overseas', model: 'far', cost: isFailed ? 0 : 0.001, isFailed }
    }),
    ...times(PROVIDERS * 20, (n) => {
      const provider = n % PROVIDERS
      const model = `vendor-${provider}/model-${provider}`
      return { principal: crawler.id, at: recent(n), provider: `provider-${provider}`, model, cost: 0.001 }
    }),
    ...times(20, (n) => ({ ...usual, principal: nightly.id, at: recent(n), cost: 1.5 })),
    ...times(20, (n) => ({ ...usual, principal: batch.id, at: recent(n), cost: 0.5 })),
    ...times(20, (n) => ({ ...usual, principal: shared.id, at: recent(n), cost: 2.85 })),
    ...times(5, (n) => ({ ...usual, principal: own.id, at: recent(n), cost: 0.25 })),
  ]
}

function rowOf({ principal, at, provider, model, cost: dollars, isFailed = false }: Event): UsageRow {
  const cost = Math.round(dollars * DOLLAR)
  const [status, durationMs] = isFailed ? [503, 120] : [200, 1_900]
  const failure = isFailed ? ({ failure: 'upstream' } as const) : {}
  const priceId = isFailed ? null : 'catalog@2026-01-01'
  return {
    id: uuidv7(at),
    requestId: `req_${uuidv7(at).replaceAll('-', '')}`,
    principal,
    family: 'chat',
    format: 'chat-completions',
    model,
    provider,
    providerModel: model,
    stream: true,
    translated: false,
    status,
    cost,
    charged: cost,
    priceId,
    billed: !isFailed,
    why: isFailed ? 'failed' : 'served',
    ...(isFailed ? failure : { usage: { input: 1_200, output: 210 }, finish: 'stop' as const, firstByteMs: 340 }),
    losses: [],
    startedAt: at,
    durationMs,
    attempts: [{ provider, model, startedAt: at, durationMs, status, ...failure, cost, priceId }],
  }
}

/** Sends a request that is refused, and returns what the caller gets. */
async function send({ origin }: Program, secret: string, model: string) {
  const answer = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: 'user', content: 'Say hello.' }] }),
    signal: AbortSignal.timeout(30_000),
  })
  const { error }: { error?: { message?: string } } = await answer.json()
  if (answer.ok || error?.message === undefined) throw new Error(`${model} was not refused: ${answer.status}`)
  return { id: answer.headers.get('x-request-id') ?? '', message: error.message }
}

/** Records come into the store a moment after their answers. */
async function waitFor(owner: Person, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    for (let tries = 0; ; tries += 1)
      try {
        await owner.ask(`/usage/${id}`)
        break
      } catch (error) {
        if (tries === 100) throw error
        await passed(100)
      }
}
