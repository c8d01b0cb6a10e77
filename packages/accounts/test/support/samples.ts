import { ORG, type Signed, usageRow, type World } from './api.ts'
import { HERE, PASSWORD, SYSTEM } from './opened.ts'

/** A request that a route answers well for whoever may ask. */
export interface Sample {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** What is answered where more is needed than a role, such as a token that nobody has. */
  readonly status?: number
}

type Make = (world: World, who: Signed | undefined) => Promise<Sample> | Sample

let count = 0
function fresh(text: string): string {
  count += 1
  return `${text} ${count}`
}

/** A key of whoever asks, or of the owner. */
async function ownKey(world: World, who: Signed | undefined): Promise<string> {
  const { stored } = await world.accounts.createKey(world.owner.caller, ORG, { name: 'a key' })
  if (!who) return stored.id
  const { db } = world.accounts.parts.connection
  await db.updateTable('keys').set({ created_by: who.id }).where('id', '=', stored.id).execute()
  return stored.id
}

/** A key of somebody who has left. */
export async function stoppedKey(world: World): Promise<string> {
  const { caller, id } = await world.person('member')
  const { stored } = await world.accounts.createKey(caller, ORG, { name: 'a key that stopped' })
  await world.accounts.removeMember(world.owner.caller, ORG, id)
  return stored.id
}

async function budget(world: World): Promise<string> {
  const terms = { scope: 'organization', owner: ORG, limit: 1n, period: 'day' } as const
  return (await world.accounts.setBudget(world.owner.caller, ORG, terms)).id
}

const destination = { name: 'Team', kind: 'slack', rules: { spend: true } } as const

async function alertDestination({ accounts }: World): Promise<string> {
  const id = fresh('dest').replace(' ', '_')
  await accounts.setDestination(SYSTEM, { ...destination, id, sealed: 'sealed', shown: 'hooks.example.com' })
  return id
}

const nothing: Make = () => ({})
const noFlow = 404
const noToken = { token: 'x'.repeat(43) }
const terms = { scope: 'organization', owner: ORG, limit: '5000000000', period: 'month' }
const credential = { id: 'x', rawId: 'x', type: 'public-key', clientExtensionResults: {} }
const proof = { ...credential, response: { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' } }

/** One for each route, by its id. */
export const SAMPLES: Readonly<Record<string, Make>> = {
  waysIn: nothing,
  signIn: async (world) => {
    const email = `${fresh('in').replace(' ', '')}@example.com`
    const { token } = await world.accounts.addByOperator(SYSTEM, { email, name: 'Ina' })
    await world.accounts.resetPassword(token, PASSWORD, HERE)
    return { body: { email, password: PASSWORD } }
  },
  claimFirst: () => ({ body: { ...noToken, email: 'a@example.com', name: 'A', password: PASSWORD }, status: 404 }),
  forgot: () => ({ body: { email: 'nobody@example.com' } }),
  reset: () => ({ body: { ...noToken, password: PASSWORD }, status: 404 }),
  signUp: () => ({ body: { email: 'new@example.com' } }),
  finishSignUp: () => ({ body: { ...noToken, name: 'A', password: PASSWORD }, status: 404 }),
  me: nothing,
  renameMe: () => ({ body: { name: 'Another Name' } }),
  signOut: nothing,
  listSessions: nothing,
  endSession: (_, who) => ({ params: { session: who?.caller.session ?? 'ses_x' } }),
  endOtherSessions: nothing,
  confirm: () => ({ body: { password: PASSWORD } }),
  changePassword: () => ({ body: { current: PASSWORD, password: `${PASSWORD}!` } }),
  listPasskeys: nothing,
  beginPasskey: nothing,
  addPasskey: () => ({
    body: { name: 'Mine', response: { ...credential, response: { clientDataJSON: 'x', attestationObject: 'x' } } },
    status: noFlow,
  }),
  renamePasskey: () => ({ params: { passkey: 'x' }, body: { name: 'Mine' }, status: 404 }),
  removePasskey: () => ({ params: { passkey: 'x' }, status: 404 }),
  askForPasskey: nothing,
  signInByPasskey: () => ({ body: { response: proof }, status: noFlow }),
  confirmByPasskey: () => ({ body: { response: proof }, status: noFlow }),
  listOidc: nothing,
  testOidc: () => ({ params: { provider: 'none' }, status: 404 }),
  beginOidc: () => ({ body: { provider: 'none' }, status: 404 }),
  finishOidc: () => ({ body: { query: 'code=x' }, status: noFlow }),
  listIdentities: nothing,
  removeIdentity: () => ({ query: { issuer: 'https://id.example', subject: 'x' }, status: 404 }),
  listInvites: nothing,
  invite: () => ({ body: { role: 'member', email: 'new@example.com' } }),
  revokeInvite: async ({ accounts, owner }) => ({
    params: { invite: (await accounts.invite(owner.caller, ORG, { role: 'viewer' })).invite.id },
  }),
  readInvite: async ({ accounts, owner }) => ({
    body: { token: (await accounts.invite(owner.caller, ORG, { role: 'viewer' })).token },
  }),
  acceptInvite: async ({ accounts, owner }) => {
    const { token } = await accounts.invite(owner.caller, ORG, { role: 'viewer' })
    return { body: { token, email: `${fresh('by').replace(' ', '')}@example.com`, name: 'Guest', password: PASSWORD } }
  },
  joinByInvite: async ({ accounts, owner }) => ({
    body: { token: (await accounts.invite(owner.caller, ORG, { role: 'viewer' })).token },
    status: 409,
  }),
  readOrganization: nothing,
  deleteOrganization: () => ({ status: 409 }),
  changeOrganization: () => ({ body: { name: 'Acme' } }),
  leave: nothing,
  readRoles: nothing,
  exportOrganization: nothing,
  listMembers: nothing,
  changeRole: async (world) => ({ params: { person: (await world.person('member')).id }, body: { role: 'viewer' } }),
  removeMember: async (world) => ({ params: { person: (await world.person('member')).id } }),
  deletePerson: async (world) => ({ params: { person: (await world.person('member')).id } }),
  makeResetLink: async (world) => ({ params: { person: (await world.person('member')).id } }),
  readAudit: nothing,
  exportAudit: nothing,
  listProjects: nothing,
  createProject: () => ({ body: { name: fresh('Project') } }),
  readProject: () => ({ params: { project: 'prj_default' } }),
  changeProject: () => ({ params: { project: 'prj_default' }, body: { name: fresh('Project') } }),
  listKeys: nothing,
  createKey: () => ({ body: { name: fresh('key'), environment: 'staging', models: ['gpt-*'] } }),
  readKey: async (world, who) => ({ params: { key: await ownKey(world, who) } }),
  changeKey: async (world, who) => ({ params: { key: await ownKey(world, who) }, body: { name: 'another name' } }),
  rotateKey: async (world, who) => ({ params: { key: await ownKey(world, who) }, body: { overlapMs: 60_000 } }),
  takeOverKey: async (world) => ({ params: { key: await stoppedKey(world) } }),
  revokeKey: async (world, who) => ({ params: { key: await ownKey(world, who) } }),
  listBudgets: nothing,
  listSharedBudgets: nothing,
  createBudget: () => ({ body: terms }),
  changeBudget: async (world) => ({ params: { budget: await budget(world) }, body: terms }),
  resetBudget: async (world) => ({ params: { budget: await budget(world) } }),
  removeBudget: async (world) => ({ params: { budget: await budget(world) } }),
  listViews: () => ({ query: { page: 'requests' } }),
  saveView: () => ({ body: { page: 'requests', name: fresh('View'), search: 'outcome=failed' } }),
  removeView: async ({ accounts, owner }, who) => {
    const view = { page: 'requests', name: fresh('View'), search: '', isTeams: false }
    return { params: { view: (await accounts.saveView((who ?? owner).caller, ORG, view)).id } }
  },
  listDoubts: nothing,
  listHeld: nothing,
  releaseHeld: () => ({ params: { row: '01990000-0000-7000-8000-000000000000' } }),
  endDoubt: () => ({ params: { run: 'a run' }, body: { end: 'free' } }),
  listAlerts: nothing,
  testAlert: nothing,
  listAlertDestinations: nothing,
  addAlertDestination: () => ({ body: { ...destination, address: 'https://hooks.example.com/secret' } }),
  changeAlertDestination: async (world) => ({
    params: { destination: await alertDestination(world) },
    body: destination,
  }),
  removeAlertDestination: async (world) => ({ params: { destination: await alertDestination(world) } }),
  testAlertDestination: async (world) => ({ params: { destination: await alertDestination(world) } }),
  listLimits: nothing,
  setLimits: async (world) => ({ params: { key: await ownKey(world, undefined) }, body: { requestsPerMinute: 10 } }),
  listPrices: nothing,
  countUnpriced: () => ({ query: { provider: 'openai', model: 'a/b' } }),
  repriceRequests: () => ({ body: { provider: 'openai', model: 'a/b' } }),
  setPrice: () => ({ body: { provider: 'openai', model: 'a/b', rates: { input: 1, output: 2 } } }),
  removePrice: async ({ accounts }) => {
    await accounts.setPrice(SYSTEM, { provider: 'openai', model: 'old', rates: { input: 1, output: 2 } })
    return { query: { provider: 'openai', model: 'old' } }
  },
  listUsage: () => ({ query: { project: 'prj_default' } }),
  readSeries: () => ({ query: { from: '0', to: '86400000', step: 'day', by: 'model,key', project: 'prj_default' } }),
  readSpend: () => ({ query: { from: '2026-11-01', to: '2026-12-01', by: 'project,model', project: 'prj_default' } }),
  readStatement: () => ({ query: { month: '2026-11', zone: 'Europe/Berlin', project: 'prj_default' } }),
  readExplanation: () => ({ query: { from: '0', to: '86400000', project: 'prj_default' } }),
  readLatency: () => ({ query: { from: '86400000', to: '172800000', before: '0', project: 'prj_default' } }),
  exportUsage: () => ({ query: { project: 'prj_default' } }),
  readFailures: () => ({ query: { from: '0', to: '86400000', by: 'failure,provider', project: 'prj_default' } }),
  listUnauthenticated: () => ({ query: { limit: '10' } }),
  readUsage: (world, who) => {
    const requestId = fresh('req')
    world.rows.push(usageRow({ requestId, principal: 'key_x', member: who?.id ?? null }))
    return { params: { request: requestId } }
  },
  listModels: nothing,
  listProviders: nothing,
  readNow: nothing,
  readConfiguration: nothing,
  checkGateway: nothing,
  listCredentials: nothing,
  setCredential: () => ({ params: { provider: 'acme' }, body: { values: { apiKey: 'sk-secret' } } }),
  removeCredential: async ({ accounts }) => {
    const stored = { adapter: 'acme', sealed: 'sealed', fields: ['apiKey'], hosts: ['https://api.acme.example'] }
    await accounts.setCredential(SYSTEM, { provider: 'acme', ...stored })
    return { params: { provider: 'acme' } }
  },
  askModelsToRead: () => ({ params: { path: 'v1/models' }, headers: { 'content-type': 'application/json' } }),
  askModels: () => ({ params: { path: 'v1/chat/completions' }, body: { model: 'm' } }),
  askModelsToDelete: () => ({ params: { path: 'api/v3/contents/generations/tasks/cgt-1' } }),
  readTrace: async (world, who) => {
    const requestId = fresh('req')
    world.traces.set(requestId, { requestId, principal: await ownKey(world, who), startedAt: 1, calls: [] })
    return { params: { request: requestId } }
  },
  traceKey: async (world) => ({ params: { key: await ownKey(world, undefined) }, body: { hours: 24 } }),
  untraceKey: async (world) => ({ params: { key: await ownKey(world, undefined) } }),
  listen: () => ({ query: { topics: 'requests,keys' } }),
}

/** A request of a route. */
export function addressOf(path: string, { params = {}, query = {} }: Sample): string {
  const text = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? '').replaceAll('%2F', '/'),
  )
  return Object.keys(query).length > 0 ? `${text}?${new URLSearchParams(query)}` : text
}
