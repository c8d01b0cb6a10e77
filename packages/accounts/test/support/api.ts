import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Principal } from '@headgate/gateway/ports'
import type { OwnedUsage, RowsQuery } from '@headgate/store'
import { migrate, openConnection, STORE } from '@headgate/store/sql'
import { onTestFinished } from 'vitest'
import { createKeyLookup } from '../../../store/src/keys/key-lookup.ts'
import { keyByHash } from '../../../store/src/keys/keys.ts'
import { createManagementApi } from '../../src/api/api.ts'
import type { CredentialDesk } from '../../src/api/credentials.ts'
import type { Mail, ManagementParts } from '../../src/api/parts.ts'
import type { Trace } from '../../src/api/trace.ts'
import type { OidcProvider } from '../../src/oidc/provider.ts'
import { type Caller, callerOf } from '../../src/roles/caller.ts'
import type { Role } from '../../src/roles/roles.ts'
import { ACCOUNTS, type AccountsConnection, type AccountsTables } from '../../src/schema/tables.ts'
import type { NewSession } from '../../src/sessions/sessions.ts'
import { claim, HERE, type Opened, ORIGIN, openOver, PASSWORD, SYSTEM } from './opened.ts'

export const ORG = 'org_default'

/** What comes back, read. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Of JSON. */
  readonly body: Readonly<Record<string, never>> & Readonly<Record<string, unknown>>
}

export interface Ask {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** As it goes out, instead of `body`. */
  readonly raw?: string
  /** Without the headers of a page of ours. */
  readonly isBare?: boolean
}

/** Somebody who asks: by a cookie, a key, or nothing. */
export interface Asker {
  ask(method: string, path: string, ask?: Ask): Promise<Answered>
}

export interface Signed extends Asker {
  readonly id: string
  readonly caller: Caller & { readonly kind: 'person' }
  readonly token: string
}

export interface World {
  readonly accounts: Opened
  readonly api: ReturnType<typeof createManagementApi>
  readonly parts: ManagementParts
  readonly mails: Mail[]
  /** What an operator was told. */
  readonly problems: string[]
  /** What usage was asked for. */
  readonly asked: RowsQuery[]
  readonly rows: OwnedUsage[]
  /** What went over the wire, by request. */
  readonly traces: Map<string, Trace>
  readonly nobody: Asker
  readonly owner: Signed
  /** Somebody new in an organization, signed in. */
  person(role: Role, organization?: string): Promise<Signed>
  by(session: NewSession): Signed
  withKey(key: string): Asker
  close(): Promise<void>
}

export interface WorldOptions {
  readonly origins?: readonly string[]
  readonly oidc?: readonly OidcProvider[]
  readonly parts?: Partial<ManagementParts>
}

/** The API over a store, with an owner, for the length of a test. What is not of accounts answers as the test says. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const world = await openWorldFor(options)
  onTestFinished(world.close)
  return world
}

/** The same for as long as whoever opens it wants. */
export async function openWorldFor({ origins = [ORIGIN], oidc = [], parts: own }: WorldOptions = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-api-'))
  const connection = await openConnection<AccountsTables>({ file: join(folder, 'headgate.db') })
  await migrate(connection, [STORE, ACCOUNTS])
  const world = await worldOver(openOver(connection, { oidc, parts: { origins } }), origins, own)
  const close = async (): Promise<void> => {
    await connection.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  return { ...world, close }
}

/** The same over a store that the test has opened. */
export async function openWorldOver(
  connection: AccountsConnection,
  { origins = [ORIGIN], oidc = [], parts }: WorldOptions = {},
): Promise<World> {
  return {
    ...(await worldOver(openOver(connection, { oidc, parts: { origins } }), origins, parts)),
    close: async () => {},
  }
}

async function worldOver(
  accounts: Opened,
  origins: readonly string[],
  own: Partial<ManagementParts> = {},
): Promise<Omit<World, 'close'>> {
  const [mails, problems, asked, rows]: [Mail[], string[], RowsQuery[], OwnedUsage[]] = [[], [], [], []]
  const { connection } = accounts.parts
  const traces: World['traces'] = new Map()
  const keyLookup = createKeyLookup({ lookUp: (hash) => keyByHash(connection, hash), now: accounts.parts.now })
  const parts: ManagementParts = {
    accounts: { ...accounts, providers: [], close: async () => {} },
    async authenticate(credential): Promise<Principal | undefined> {
      // As a process that has felt every change.
      keyLookup.changed()
      return keyLookup.findByHash(createHash('sha256').update(credential).digest('hex'))
    },
    usage: {
      rows: async (query) => {
        asked.push(query)
        return { rows }
      },
      byRequest: async (id) => {
        const row = rows.find(({ requestId }) => requestId === id)
        return row && { attempts: [], corrections: [], ...row }
      },
      series: async () => [],
      groups: async () => [],
      explain: async ({ from }) => ({ since: from, requests: 0, losses: [], saved: [], caches: [] }),
      namesOf: async () => ({}),
      upstreamTotals: async () => [],
      dayZone: async () => 'UTC',
      latency: async () => null,
      recentUse: async () => [],
      refusalsByBudget: async () => [],
      minutes: async () => ({ minutes: [], refusals: {}, firstByteMs: null }),
      failures: async () => [],
      unauthenticated: async () => [],
      each: async function* () {
        yield rows
      },
    },
    traces: { read: async (requestId) => traces.get(requestId) },
    gateway: { fetch: async (request) => Response.json({ path: new URL(request.url).pathname }) },
    orphanedLeases: { silent: async () => [], end: async () => true },
    held: { held: async () => [], releaseHeld: async () => undefined },
    alerts: { list: async () => [], test: async () => {} },
    facts: {
      models: () => [],
      providers: () => [],
      configuration: () => ({}),
      doctor: async () => [],
      limits: () => ({ projects: [], models: [] }),
    },
    credentials: deskOf(),
    destinations: {
      seal: async () => ({ sealed: 'sealed', shown: 'hooks.example.com' }),
      hasSpend: async () => false,
      test: async () => {},
    },
    origins,
    mail: async (mail) => void mails.push(mail),
    now: accounts.parts.now,
    onProblem: (message) => void problems.push(message),
    ...own,
  }
  const api = createManagementApi(parts)
  const origin = origins[0] ?? ''
  let addresses = 0
  const asker = (own: Readonly<Record<string, string>>, isPage: boolean): Asker => {
    addresses += 1
    // Failures of one do not bound another.
    const address = `10.0.${addresses >> 8}.${addresses & 255}`
    return { ask: (...asked) => askFrom(address, own, isPage, ...asked) }
  }
  const askFrom = async (
    address: string,
    own: Readonly<Record<string, string>>,
    isPage: boolean,
    method: string,
    path: string,
    { body, headers, raw, isBare = false }: Ask = {},
  ): Promise<Answered> => {
    const isWrite = method !== 'GET'
    const page = isWrite && !isBare ? { ...(isPage && { origin }), 'content-type': 'application/json' } : {}
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const sent = { ...own, ...page, 'user-agent': 'a browser', ...headers }
    const request = new Request(`${origin}/api/v1${path}`, {
      method,
      headers: sent,
      ...(text !== undefined && { body: text }),
    })
    const response = await api.fetch(request, { address })
    const answered = await textOf(response)
    const isJson = response.headers.get('content-type')?.match(/[/+]json$/) != null
    return {
      status: response.status,
      headers: response.headers,
      text: answered,
      body: isJson ? JSON.parse(answered) : {},
    }
  }
  const by = ({ token, session }: NewSession): Signed => {
    const caller = callerOf(session, HERE)
    if (caller.kind !== 'person') throw new TypeError('A session is of a person.')
    const name = origin.startsWith('https:') ? '__Host-headgate' : 'headgate'
    return { id: session.person, caller, token, ...asker({ cookie: `${name}=${token}` }, true) }
  }
  await claim(accounts)
  let count = 0
  const person = async (role: Role, organization?: string): Promise<Signed> => {
    count += 1
    const added = {
      email: `${role}${count}@example.com`,
      name: `${role} ${count}`,
      role,
      ...(organization && { organization }),
    }
    const { token } = await accounts.addByOperator(SYSTEM, added)
    return by(await accounts.resetPassword(token, PASSWORD, HERE))
  }
  return {
    accounts,
    api,
    parts,
    traces,
    mails,
    problems,
    asked,
    rows,
    person,
    by,
    nobody: asker({}, true),
    owner: await person('owner'),
    withKey: (key) => asker({ authorization: `Bearer ${key}` }, false),
  }
}

/** Credentials of one provider, whose tests all succeed. */
function deskOf(): CredentialDesk {
  return {
    states: async () => [
      { provider: 'acme', adapter: 'acme', source: 'none', variables: [], fields: [], isUsed: false },
    ],
    prepare: async (provider, values) => ({
      provider,
      adapter: 'acme',
      sealed: `sealed ${Object.keys(values).length}`,
      fields: Object.keys(values),
      hosts: ['https://api.acme.example'],
      isTested: true,
    }),
  }
}

/** A row of usage, as a store has it. */
export function usageRow(
  given: Partial<OwnedUsage> & { readonly requestId: string; readonly principal: string },
): OwnedUsage {
  return {
    id: given.requestId,
    at: 1,
    family: 'chat',
    format: 'chat-completions',
    model: 'm',
    provider: 'p',
    endpoint: null,
    providerModel: 'm',
    policy: null,
    routing: null,
    stream: false,
    translated: false,
    status: 200,
    input: 1,
    output: 1,
    cacheRead: null,
    cacheWrite: null,
    cacheWriteLong: null,
    reasoning: null,
    audioInput: null,
    audioOutput: null,
    imageInput: null,
    imageOutput: null,
    units: null,
    variant: null,
    estimated: false,
    cost: '1',
    charged: '1',
    held: null,
    priceId: null,
    billed: true,
    why: 'served',
    finish: 'stop',
    failure: null,
    losses: [],
    traceId: null,
    corrects: null,
    firstByteMs: 1,
    durationMs: 2,
    tags: null,
    project: 'prj_default',
    environment: 'production',
    member: null,
    keyName: null,
    projectName: null,
    memberName: null,
    outcome: 'served',
    endUser: null,
    session: null,
    ...given,
  }
}

/** The value of a cookie that an answer sets. */
export function cookieOf({ headers }: Answered, name: string): string | undefined {
  const set = headers.getSetCookie().find((one) => one.startsWith(`${name}=`))
  return set?.slice(name.length + 1).split(';')[0]
}

/** What is answered; of what goes on and on, its beginning. */
async function textOf(response: Response): Promise<string> {
  const isEndless = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isEndless || !response.body) return response.text()
  const reader = response.body.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}
