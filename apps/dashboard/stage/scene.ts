import { setTimeout as passed } from 'node:timers/promises'
import { claim, join, type Person, ROLES, type Role } from './people.ts'
import { type Program, startProgram } from './program.ts'
import { HOSTILE, MODELS, startUpstream } from './upstream.ts'

/** A running program with people and usage, for browsers to look at. */
export interface Scene {
  readonly program: Program
  readonly origin: string
  /** One of each role, all in one organization. */
  readonly people: Readonly<Record<Role, Person>>
  /** The key `ci`, and its id. */
  readonly key: { readonly id: string; readonly secret: string }
  /** Asks a model by a key; the answer is read to its end. */
  chat(
    secret: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly id: string }>
  stop(): Promise<void>
}

const NAMES: Readonly<Record<Role, string>> = {
  owner: 'Ada Lovelace',
  admin: 'Grace Hopper',
  member: 'Alan Turing',
  viewer: 'Mary Somerville',
}

/** Dollars a million tokens. Each model has some: what no budget could bound is refused. */
const PRICES = {
  // Dollars a million units: two cents for an image.
  'demo/demo': {
    input: 0.25,
    output: 2,
    units: { images: 20_000, characters: 15, milliseconds: 0.1, moderations: 1, seconds: 100_000 },
  },
  ...Object.fromEntries(Object.values(MODELS).map((model) => [`acme/${model}`, { input: 3, output: 15 }])),
}

function config(baseUrl: string): object {
  return {
    providers: {
      demo: {},
      acme: { adapter: 'openai-compatible', baseUrl, apiKey: 'secret-of-the-upstream', models: Object.values(MODELS) },
    },
    models: { resilient: ['acme/busy', 'demo/demo'] },
    prices: PRICES,
  }
}

/** Starts the program beside an upstream, without anybody in it. @param more fields of its configuration. */
export async function startEmpty(more: object = {}): Promise<{ readonly program: Program; stop(): Promise<void> }> {
  const upstream = await startUpstream()
  const program = await startProgram({ ...config(upstream.baseUrl), ...more }).catch((error: unknown) => {
    upstream.stop()
    throw error
  })
  return {
    program,
    async stop() {
      await program.stop()
      upstream.stop()
    },
  }
}

/**
 * The same with one of each role, two keys, budgets, and a request of each kind: served, served by the second, refused,
 * with markup in all.
 */
export async function startScene(): Promise<Scene> {
  const { program, stop } = await startEmpty()
  try {
    const { origin } = program
    const owner = await claim(program)
    const others = await Promise.all(ROLES.slice(1).map((role) => join(origin, owner, role, NAMES[role])))
    const people = Object.fromEntries([owner, ...others].map((person, index) => [ROLES[index], person])) as Record<
      Role,
      Person
    >
    const ci = await makeKey(owner, { name: 'ci', environment: 'production' })
    const odd = await makeKey(owner, { name: HOSTILE, environment: 'staging' })
    const [{ organization } = { organization: '' }] = (
      await owner.ask<{ memberships: { organization: string }[] }>('/me')
    ).memberships
    await owner.ask('/budgets', {
      scope: 'organization',
      owner: organization,
      limit: '50000000000',
      period: 'month',
      soft: true,
    })
    await owner.ask('/budgets', { scope: 'key', owner: ci.id, limit: '5000000000', period: 'day', name: 'ci a day' })
    const chat: Scene['chat'] = (secret, body = {}, headers = {}) => chatAt(origin, secret, body, headers)
    const ids = await Promise.all([
      chat(ci.secret),
      chat(ci.secret, { model: 'resilient' }),
      chat(ci.secret, { model: MODELS.large }),
      chat(odd.secret, { model: MODELS.hostile }, { 'headgate-tags': 'team=<script>alert(1)</script>' }),
      chat(odd.secret, { model: MODELS.refusing }),
    ])
    await waitForRows(
      owner,
      ids.map(({ id }) => id),
    )
    return { program, origin, people, key: ci, chat, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export async function makeKey(owner: Person, terms: object): Promise<Scene['key']> {
  const { key, stored } = await owner.ask<{ key: string; stored: { id: string } }>('/keys', terms)
  return { id: stored.id, secret: key }
}

async function chatAt(origin: string, secret: string, body: object, headers: Readonly<Record<string, string>>) {
  const answer = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'demo',
      messages: [{ role: 'user', content: 'Say hello.' }],
      max_tokens: 100,
      ...body,
    }),
    signal: AbortSignal.timeout(30_000),
  })
  await answer.text()
  return { status: answer.status, id: answer.headers.get('x-request-id') ?? '' }
}

/** Rows come into the store a moment after their answers. */
async function waitForRows(owner: Person, ids: readonly string[]): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { items } = await owner.ask<{ items: { requestId: string }[] }>('/usage')
    if (ids.every((id) => items.some(({ requestId }) => requestId === id))) return
    await passed(100)
  }
  throw new Error(`Some of the requests ${ids.join(', ')} have no row.`)
}
