import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { FAILURES } from '../../../core/src/errors.ts'
import { object, text } from '../../../core/src/provider.ts'
import { CHAT } from '../../../core/test/support/wire.ts'
import { type AccessRecord, HeadgateError, type MemoryBudgets, memoryBudgets, type UsageRow } from '../../src/index.ts'
import { PRICE } from '../support/budgets.ts'
import { good } from '../support/fleet.ts'
import { chatProvider, KEY, type RunningGateway, startGateway } from '../support/gateway.ts'
import { RESPONSES } from '../support/responses.ts'
import { startUpstream, type Upstream, type UpstreamCall } from '../support/upstream.ts'
import { TASKS, taskOptions, videoProvider } from '../video/support.ts'
import { CASES, type Case, MODES, type Mode, type Scenario, VARIANTS, type Variant } from './failure-cases.ts'

const MATRIX = join(import.meta.dirname, '../../../../docs/data/failure-matrix.json')
const SOON = { timeout: 20_000 }
/** Worst-case cost of each request here: 100 tokens, or 5 seconds. */
const BOUND = 100_000_000
/** Calls before a slow one, so that it is known to be slow. */
const EARLIER = 24
/** Maximum time that a slow call waits for a second one, in milliseconds. */
const SLOW = 40

/** What budgets count for a failed request. */
export interface Outcome {
  readonly settled: 'nothing' | 'usage' | 'estimate'
  readonly held: 'nothing' | 'worst case' | 'rest of the worst case'
}

const BODIES: Readonly<Record<Mode, object>> = {
  unary: { model: 'small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 },
  stream: { model: 'small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100, stream: true },
  background: { model: 'small', input: 'Hello', max_output_tokens: 100, background: true },
  video: { model: 'small', content: [{ type: 'text', text: 'a cat' }], duration: 5 },
}
const PATHS: Readonly<Record<Mode, string>> = { unary: CHAT, stream: CHAT, background: RESPONSES, video: TASKS }

/** Id of a task. @throws HeadgateError for a response without one. */
function taskRef({ body }: { readonly body: unknown }): { readonly id: string } {
  const id = text(object(body)?.['id'])
  if (id === undefined) throw new HeadgateError('upstream', 'The response has no id.')
  return { id }
}

function providerOf(mode: Mode, scenario: Scenario, issuer: string, url: string) {
  const known = [{ id: 'small', price: PRICE, output: 4_000, families: ['chat'] }]
  const seconds = { id: 'list@today', input: 0, output: 0, units: { seconds: (BOUND / 5) * 1e6 } }
  const { video: support, ...others } = videoProvider(url, {}, 'alpha')
  const create = support && 'request' in support.create && { ...support.create, response: taskRef }
  const video = {
    ...others,
    ...(support && create && { video: { ...support, create } }),
    known: [{ id: 'small', price: seconds, families: ['video'] }],
  }
  return { ...(mode === 'video' ? video : chatProvider(url, { known })), ...scenario.provider?.(issuer, url) }
}

/** Handler that responds to a first call after a second one has arrived, or when that takes too long. */
function slowly(handle: (call: UpstreamCall) => unknown): (call: UpstreamCall) => void {
  let waiting: (() => void) | undefined
  return (call) => {
    const others = waiting
    if (others) {
      waiting = undefined
      others()
      handle(call)
      return
    }
    const timer = setTimeout(() => waiting?.(), SLOW)
    waiting = () => {
      clearTimeout(timer)
      waiting = undefined
      handle(call)
    }
  }
}

/** True if the requests of a variant have calls before them. */
function hasEarlier({ isSlow }: Variant, mode: Mode, { upstream }: Scenario): boolean {
  return isSlow === true && upstream !== undefined && (mode === 'unary' || mode === 'stream')
}

async function start(mode: Mode, scenario: Scenario, variant: Variant) {
  const state = { isEarlier: hasEarlier(variant, mode, scenario) }
  const handle = (call: UpstreamCall): unknown =>
    scenario.upstream?.(call, mode) ?? (scenario.upstream || call.answer(500, {}))
  const later = state.isEarlier ? slowly(handle) : handle
  const upstream = await startUpstream((call) => (state.isEarlier ? good(call) : later(call)))
  const { headers = {}, leaves } = scenario
  // Silent if something else is to happen while the credential is obtained.
  const issuer = await startUpstream((call) =>
    leaves || headers['headgate-timeout-ms'] ? undefined : call.answer(500, {}),
  )
  const limit = BigInt(Math.round((scenario.budget ?? 5) * 1e9))
  const budgets = memoryBudgets({
    budgets: [{ owner: 'key-1', name: 'team', limit, period: 'forever', counts: 'cost' }],
  })
  const provider = providerOf(mode, scenario, issuer.url, upstream.url)
  const gateway = await startGateway('node', {
    budgets,
    tasks: taskOptions(),
    providers: [variant.endpoints ? { provider, endpoints: variant.endpoints } : provider],
    estimateTokens: () => 2,
    ...(variant.isHedged && { routing: { hedge: true } }),
    ...scenario.options,
  })
  const started = { ...gateway, budgets, upstream, issuer }
  if (state.isEarlier) await callEarlier(started, mode)
  state.isEarlier = false
  return { ...started, before: { rows: gateway.rows.length, spent: budgets.state()[0]?.spent ?? 0n } }
}

/** Calls that succeed, one after another. */
async function callEarlier(
  { post, access, upstream }: Pick<RunningGateway, 'post' | 'access'> & { readonly upstream: Upstream },
  mode: Mode,
): Promise<void> {
  for (let nth = 0; nth < EARLIER; nth++) {
    const answer = await post(PATHS[mode], BODIES[mode])
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
    await upstream.next()
    await access.next()
  }
}

type Started = Awaited<ReturnType<typeof start>>

/** Sends the head of a request, and nothing of its body. Resolves when the gateway has answered. */
async function askSilently(port: number, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'content-length': '99' }
  const asked = httpRequest({ port, path, method: 'POST', headers })
  asked.on('error', () => {})
  onTestFinished(() => void asked.destroy())
  asked.flushHeaders()
  await once(asked, 'response')
}

/** Makes the request of a case, and waits until it is over. */
async function ask(given: Started, mode: Mode, scenario: Scenario): Promise<void> {
  const { post, call, port, upstream, issuer, access, rows } = given
  const { headers = {}, body = {}, path = PATHS[mode], method, isSilent } = scenario
  if (isSilent) return askSilently(port, path)
  if (method) return void (await call(path, { method })).text()
  const leaving = new AbortController()
  const answer = post(path, { ...BODIES[mode], ...body }, { headers, signal: leaving.signal })
  if (!scenario.leaves) {
    const answered = await answer
    const text = await answered.text()
    // What is created or made in the background ends later.
    if (answered.status === 200 && mode !== 'unary' && mode !== 'stream')
      await isOver(mode, { access, rows, call }, text)
    return
  }
  const reached: Upstream = scenario.upstream ? upstream : issuer
  if (mode === 'background') {
    const { id } = (await (await answer).json()) as { id: string }
    await reached.next()
    await (await call(`${RESPONSES}/${id}/cancel`, { method: 'POST' })).text()
    return
  }
  answer.catch(() => {})
  await reached.next()
  if (scenario.hasContent) await (await answer).body?.getReader().read()
  leaving.abort()
  const { rows: before } = given.before
  await vi.waitUntil(() => access.all.length > before, SOON)
}

async function isOver(
  mode: Mode,
  { access, rows, call }: Pick<Started, 'access' | 'rows' | 'call'>,
  text: string,
): Promise<void> {
  const { id } = JSON.parse(text) as { id: string }
  if (mode === 'video') return void (await vi.waitUntil(() => rows.length > 0, SOON))
  await vi.waitUntil(async () => {
    const { status } = (await (await call(`${RESPONSES}/${id}`)).json()) as { status: string }
    return status !== 'in_progress'
  }, SOON)
  await vi.waitUntil(() => access.all.some(({ path }) => path === RESPONSES), SOON)
}

function outcomeOf(budgets: MemoryBudgets, row: UsageRow | undefined, before: bigint): Outcome {
  const [state] = budgets.state()
  const attempts = row?.attempts ?? []
  const sent = attempts.filter(({ cost, estimated }) => cost === null || estimated)
  const settled = attempts.reduce((sum, { cost }) => sum + (cost ?? 0), 0)
  const held = Number((state?.spent ?? 0n) - before) - settled
  expect(state?.held).toBe(0n)
  expect(held).toBe(sent.length * BOUND - sent.reduce((sum, { cost }) => sum + (cost ?? 0), 0))
  return {
    settled: settled === 0 ? 'nothing' : sent.length > 0 ? 'estimate' : 'usage',
    held: held === 0 ? 'nothing' : settled > 0 ? 'rest of the worst case' : 'worst case',
  }
}

const kindOf = (record: AccessRecord | undefined, row: UsageRow | undefined): string | undefined =>
  row?.attempts.at(-1)?.failure ?? record?.error?.kind ?? row?.failure

async function outcome(
  mode: Mode,
  { kind, when }: Case,
  scenario: Scenario,
  variant: Variant = {},
): Promise<{ readonly outcome: Outcome; readonly row: UsageRow | undefined }> {
  const started = await start(mode, scenario, variant)
  await ask(started, mode, scenario)
  for (const call of started.issuer.calls) call.reset()
  const path = scenario.path ?? PATHS[mode]
  const { rows: before } = started.before
  const seenAt = (): AccessRecord | undefined => started.access.all.slice(before).find((record) => record.path === path)
  await vi.waitUntil(() => seenAt() !== undefined, SOON)
  const row = started.rows[before]
  const seen = kindOf(seenAt(), row)
  // A background response that never had a provider has its failure in itself.
  if (seen !== undefined || mode !== 'background') expect(seen).toBe(scenario.kinds?.[mode] ?? kind)
  expect(started.upstream.calls.length > before).toBe(when === 'after')
  expect(row?.charged ?? 0).toBeLessThan(BOUND)
  return { outcome: outcomeOf(started.budgets, row, started.before.spent), row }
}

describe('What budgets hold for a failed request', { tags: ['full'] }, () => {
  const cells: object[] = []

  it('is known for every kind of failure, before and after it was sent', () => {
    const missing = Object.keys(FAILURES).flatMap((kind) =>
      (['before', 'after'] as const)
        .filter((when) => !CASES.some((one) => one.kind === kind && one.when === when))
        .map((when) => [kind, when]),
    )
    expect(missing).toEqual([])
  })

  for (const one of CASES)
    it(`is as documented: ${one.kind}, ${one.when} it was sent: ${one.cause}`, async () => {
      const { kind, when, cause, scenario, not } = one
      if (!scenario) return void cells.push({ kind, when, impossible: cause })
      const modes: Record<string, object> = {}
      for (const mode of MODES) {
        const impossible = not?.[mode]
        modes[mode] = impossible === undefined ? (await outcome(mode, one, scenario)).outcome : { impossible }
      }
      cells.push({ kind, when, cause, modes })
    })

  it('is documented as it was shown here: `vitest run <this file> -u` writes what it shows', async () => {
    const [head, rest] = [JSON.stringify(MODES).replaceAll(',', ', '), JSON.stringify({ cells }, null, 2).slice(2)]
    await expect(`{\n  "modes": ${head},\n${rest}\n`).toMatchFileSnapshot(MATRIX)
  })
})

interface WrittenCell {
  readonly modes?: Readonly<Partial<Record<Mode, Outcome>>>
}

describe.each(VARIANTS)('What budgets hold for a failed request $title', { tags: ['full'] }, (variant) => {
  const { cells } = JSON.parse(readFileSync(MATRIX, 'utf8')) as { readonly cells: readonly WrittenCell[] }
  /** Requests with a second call. */
  let hedged = 0

  it.each(CASES.map((one, place) => ({ ...one, place })))(
    'is the same: $kind, $when it was sent: $cause',
    async (one) => {
      const { scenario, not, place } = one
      if (!scenario) return
      for (const mode of MODES) {
        if (not?.[mode] !== undefined) continue
        const found = await outcome(mode, one, scenario, variant)
        expect({ mode, ...found.outcome }).toEqual({ mode, ...cells[place]?.modes?.[mode] })
        if (hasEarlier(variant, mode, scenario) && (found.row?.attempts.length ?? 0) > 1) hedged++
      }
    },
  )

  it.runIf(variant.isSlow)('was shown with second calls', () => expect(hedged).toBeGreaterThan(CASES.length / 4))
})
