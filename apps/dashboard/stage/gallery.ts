import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type UsedModel, writeHistory } from './history.ts'
import { claim, join as joinAs, type Person } from './people.ts'
import { type Program, startProgram } from './program.ts'
import { makeKey } from './scene.ts'
import { startUpstream } from './upstream.ts'

/** A program as a company of some people has it after a month. */
export interface Gallery {
  readonly program: Program
  readonly owner: Person
  readonly member: Person
  /** The budget that ends first, and a key. */
  readonly budget: string
  readonly key: string
  /** Requests to open: one that went another way than the first, one that lost something in translation. */
  readonly requests: Readonly<Record<'failedOver' | 'translated', string>>
  stop(): Promise<void>
}

const USED: readonly UsedModel[] = [
  { provider: 'openai', model: 'gpt-5.4-mini', price: { input: 0.25, output: 2 }, share: 40, firstByteMs: 320 },
  { provider: 'anthropic', model: 'claude-haiku-4-5', price: { input: 1, output: 5 }, share: 26, firstByteMs: 410 },
  {
    provider: 'google',
    model: 'gemini-3.5-flash',
    price: { input: 0.3, output: 2.5 },
    share: 18,
    firstByteMs: 280,
    hasTrouble: true,
  },
  { provider: 'anthropic', model: 'claude-sonnet-4-6', price: { input: 3, output: 15 }, share: 9, firstByteMs: 780 },
  { provider: 'openai', model: 'gpt-5.4', price: { input: 2.5, output: 15 }, share: 6, firstByteMs: 640 },
  { provider: 'eu-vllm', model: 'llama-4', price: { input: 0.1, output: 0.4 }, share: 5, firstByteMs: 190 },
  { provider: 'eu-vllm', model: 'mistral-next', share: 0.3, firstByteMs: 240 },
]

function config(baseUrl: string): object {
  const apiKey = 'not-a-key-of-anybody'
  return {
    providers: {
      openai: { apiKey, baseUrl },
      anthropic: { apiKey, baseUrl },
      google: { apiKey, baseUrl },
      demo: {},
      'eu-vllm': { adapter: 'openai-compatible', baseUrl, models: ['llama-4', 'mistral-next', 'busy'] },
    },
    models: { best: ['eu-vllm/busy', 'openai/gpt-5.4-mini'] },
    prices: {
      'eu-vllm/llama-4': { input: 0.1, output: 0.4 },
      'eu-vllm/busy': { input: 0.1, output: 0.4 },
      'demo/demo': { input: 0, output: 0 },
    },
  }
}

/** Folder whose path pictures can show; undefined = this user cannot create it, or it exists. */
function shownFolder(): string | undefined {
  try {
    mkdirSync('/srv/headgate')
    return '/srv/headgate'
  } catch {
    return undefined
  }
}

export async function startGallery(): Promise<Gallery> {
  const upstream = await startUpstream({ isPlain: true })
  const program = await startProgram(config(upstream.baseUrl), undefined, shownFolder())
  const stop = async (): Promise<void> => {
    await program.stop()
    upstream.stop()
  }
  try {
    const owner = await claim(program)
    const { origin, folder } = program
    const member = await invitePeople(origin, owner)
    const project = async (name: string): Promise<string> => (await owner.ask<{ id: string }>('/projects', { name })).id
    const projects = { shop: await project('Web shop'), research: await project('Research') }
    const keys = await makeKeys(owner, projects)
    const budget = await setBudgets(owner, projects, keys[4]?.id)
    await writeHistory({ dataDir: join(folder, '.headgate'), keys, models: USED })
    const requests = await sendRequests(origin, keys[0]?.secret ?? '')
    await sendRefused(origin, keys[4]?.secret ?? '')
    return { program, owner, member, budget, key: keys[1]?.id ?? '', requests, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** @returns one of the members */
async function invitePeople(origin: string, owner: Person): Promise<Person> {
  await joinAs(origin, owner, 'admin', 'Grace Hopper')
  const member = await joinAs(origin, owner, 'member', 'Alan Turing')
  await joinAs(origin, owner, 'member', 'Barbara Liskov')
  await joinAs(origin, owner, 'viewer', 'Mary Somerville')
  await owner.ask('/invites', { role: 'member', email: 'edsger@example.com' })
  return member
}

/** Ids of projects. */
interface Projects {
  readonly shop: string
  readonly research: string
}

async function makeKeys(owner: Person, { shop, research }: Projects) {
  const production = { environment: 'production', project: shop }
  return [
    await makeKey(owner, { ...production, name: 'web-shop' }),
    await makeKey(owner, { ...production, name: 'support-bot', limits: { requestsPerMinute: 600 } }),
    await makeKey(owner, {
      name: 'nightly-eval',
      environment: 'staging',
      project: research,
      models: ['gpt-5.4*', 'claude-*'],
    }),
    await makeKey(owner, { name: 'notebooks', environment: 'development', project: research }),
    await makeKey(owner, { name: 'ci', environment: 'development', project: shop, families: ['chat'] }),
  ]
}

/** @returns id of the budget that ends first */
async function setBudgets(owner: Person, { shop, research }: Projects, key: string | undefined): Promise<string> {
  const [first] = (await owner.ask<{ memberships: { organization: string }[] }>('/me')).memberships
  const organization = first?.organization
  const month = { period: 'month' }
  const set = (terms: object) => owner.ask<{ id: string }>('/budgets', terms)
  await set({ ...month, scope: 'organization', owner: organization, limit: dollars(60), soft: true, name: 'All of us' })
  const { id } = await set({ ...month, scope: 'project', owner: shop, limit: dollars(25), name: 'Web shop' })
  await set({ ...month, scope: 'project', owner: research, limit: dollars(40), name: 'Research' })
  await set({ scope: 'key', owner: key, limit: dollars(1), period: 'day', name: 'ci a day' })
  return id
}

/** Amount in nano-dollars. */
function dollars(amount: number): string {
  return `${amount}000000000`
}

/** A family that the key may not use, and a model that does not exist. */
async function sendRefused(origin: string, secret: string): Promise<void> {
  for (const [path, body] of [
    ['/v1/embeddings', { model: 'gpt-5.4-mini', input: 'Which planets have rings?' }],
    ['/v1/chat/completions', { model: 'gpt-6-mini', messages: [{ role: 'user', content: 'Hello.' }] }],
  ] as const)
    for (let count = 0; count < 3; count += 1) {
      const answer = await fetch(`${origin}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(60_000),
      })
      await answer.text()
    }
}

async function sendRequests(origin: string, secret: string): Promise<Gallery['requests']> {
  const send = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const answer = await fetch(`${origin}${path}`, {
      method: 'POST',
      body: JSON.stringify({ max_tokens: 500, ...body }),
      signal: AbortSignal.timeout(60_000),
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    })
    const text = await answer.text()
    if (!answer.ok) process.stderr.write(`${path}: ${answer.status} ${text}\n`)
    return answer.headers.get('x-request-id') ?? ''
  }
  const text = 'Which planets have rings?'
  const content = [{ type: 'text', text, cache_control: { type: 'ephemeral' } }]
  const translated = await send('/v1/messages', {
    model: 'gpt-5.4-mini',
    top_k: 40,
    messages: [{ role: 'user', content }],
  })
  const failedOver = await send(
    '/v1/chat/completions',
    { model: 'best', messages: [{ role: 'user', content: text }] },
    { 'headgate-tags': 'team=search' },
  )
  return { failedOver, translated }
}
