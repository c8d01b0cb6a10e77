import type { UsageRow } from '../../src/index.ts'
import { callGateway, type Seen } from './caller.ts'
import { type Books, checkBooks, checkBudget } from './checks/account.ts'
import { checkAnswer, checkText } from './checks/answer.ts'
import { GOOD_CALLER } from './kinds/callers.ts'
import { ALIAS, type CallerRequest, FALLBACK_MODEL, goodRequest, MODEL, SPARE_KEY, SPARE_MODEL } from './request.ts'
import { policyHeaderOf, usesAlias } from './routing.ts'
import type { FormatId } from './scene.ts'
import { describeSequence, isTimed, type Sequence } from './sequence.ts'
import { EARLIER, MAIN, type Stage, setUp } from './stage.ts'
import type { Upstream } from './upstream.ts'

/** What came of a sequence. */
export interface Report {
  readonly seed: number
  /** The sequence in one line. */
  readonly what: string
  /** Names of the faults that were played. */
  readonly faults: readonly string[]
  /** Empty when all is as it should be. */
  readonly problems: readonly string[]
  /** True if a slow call was sent to a second endpoint as well. */
  readonly isHedged: boolean
}

/** Milliseconds after which a call hangs: far beyond what the gateway gives a whole request. */
const BOUND = 12_000
/** Earlier requests per endpoint of a hedged sequence, and the number of them at a time. */
const EARLIER_REQUESTS = 24
const EARLIER_AT_A_TIME = 6

/** Waits until something holds, a few seconds at most. */
async function until(holds: () => boolean, patience = 6_000): Promise<boolean> {
  const start = performance.now()
  while (!holds()) {
    if (performance.now() - start > patience) return false
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return true
}

function tellsSecret({ secrets, rows, access, warnings }: Stage, answers: readonly Seen[]): string[] {
  const places = {
    'the answer': answers.map(({ body }) => body).join('\n'),
    'its headers': JSON.stringify(answers.map(({ headers }) => headers)),
    'the rows': JSON.stringify(rows),
    'the log': JSON.stringify([access, warnings]),
  }
  // A part of a key that was cut off is as bad as the whole.
  const parts = secrets.map((secret) => secret.slice(0, -3))
  return Object.entries(places).flatMap(([place, text]) =>
    parts.some((part) => text.includes(part)) ? [`a provider's key stands in ${place}`] : [],
  )
}

/** What the caller must be told, where the last call that was made had a certain fate. */
function checkOutcome(sequence: Sequence, { played, refused }: Books, seen: Seen, ending: string): string[] {
  const last = played.at(-1)
  const isPlain =
    sequence.caller.leave === undefined && !sequence.caller.hurries && sequence.caller.refused === undefined
  if (!isPlain || !last || refused.size > 0 || sequence.routing?.isHedged) return []
  const wanted = { served: [200, 'whole'], cut: [200, 'error'], final: [400, 'error'], failed: [0, 'error'] } as const
  if (last.fate === undefined || isTimed(sequence)) return []
  const [status, end] = wanted[last.fate]
  if (ending !== end || (status !== 0 && status !== seen.status))
    return [
      `after "${last.fault}", which is ${last.fate}, the caller got ${seen.status} and ${ending}: ${seen.body.slice(0, 200)}`,
    ]
  return []
}

/** Format of the provider that served a request; undefined = none did. */
function servingFormat({ candidates }: Sequence, row: UsageRow | undefined): FormatId | undefined {
  if (row?.provider === 'fallback') return candidates[0]?.format
  return row && candidates[Number(row.provider.slice('candidate-'.length))]?.format
}

function checkSeen(sequence: Sequence, books: Books, seen: Seen): string[] {
  if (seen.end === 'left') return []
  const { played } = books
  // Of two calls at the same time, either may have served.
  const serving = sequence.routing?.isHedged ? played : played.slice(-1)
  const format = servingFormat(sequence, books.rows[0])
  const raw = format === sequence.format && sequence.delivery !== 'json-array'
  const { problems, ending } = checkAnswer(sequence, seen, { junk: raw && serving.some(({ junk }) => junk), raw })
  const isGood = serving.length > 0 && serving.every(({ fate, alters }) => fate === 'served' && !alters)
  const isSaid = isGood && seen.status === 200 && ending === 'whole'
  return [...problems, ...checkOutcome(sequence, books, seen, ending), ...(isSaid ? checkText(sequence, seen) : [])]
}

/** A good request over what the sequence has left behind. */
async function checkSpare(sequence: Sequence, stage: Stage): Promise<string[]> {
  const { format, delivery, flavour } = sequence
  const request = goodRequest({ format, delivery, flavour, model: SPARE_MODEL, key: SPARE_KEY })
  const call = (): Promise<Seen> =>
    callGateway(request, GOOD_CALLER, { port: stage.port, agent: stage.agent, asked: stage.asked, bound: BOUND })
  let seen = await call()
  for (let tries = 0; tries < 3 && seen.status !== 200 && isTimed(sequence); tries++) seen = await call()
  const problems =
    seen.status === 200
      ? checkAnswer(sequence, seen, { junk: false, raw: true }).problems
      : [`${seen.status}, ${seen.end}`]
  return [...problems, ...(seen.status === 200 ? checkText(sequence, seen) : [])].map(
    (problem) => `a good request afterwards: ${problem}`,
  )
}

/** Closes everything, and looks for what is left. */
async function tearDown({ gateway, server, agent, names }: Stage, upstream: Upstream): Promise<string[]> {
  agent.destroy()
  server.close()
  server.closeAllConnections()
  const closing = gateway.close().then(() => true)
  const patience = new Promise<boolean>((resolve) => setTimeout(resolve, 5_000, false).unref())
  const problems = (await Promise.race([closing, patience])) ? [] : ['the gateway does not close']
  const open = (): number => names.reduce((sum, name) => sum + upstream.open(name), 0)
  if (!(await until(() => open() === 0))) problems.push(`${open()} connections to upstreams stay open`)
  for (const name of names) upstream.forget(name)
  return problems
}

/** A good request of a sequence, with its routing. */
function requestOf(sequence: Sequence, marker?: string): CallerRequest {
  const { format, delivery, flavour, usage, routing } = sequence
  const policy = routing && policyHeaderOf(routing)
  return goodRequest({
    format,
    delivery,
    flavour,
    usage,
    marker,
    model: routing && usesAlias(routing) ? ALIAS : MODEL,
    ...(routing?.fallback === 'body' && { fallback: FALLBACK_MODEL }),
    ...(policy !== undefined && { headers: { 'headgate-policy': policy } }),
  })
}

/** Good requests before the others, so that a hedged request is known to be slow. */
async function callEarlier(sequence: Sequence, { port, agent, asked }: Stage): Promise<Seen[]> {
  const { routing } = sequence
  if (!routing?.isHedged) return []
  const request = requestOf(sequence, EARLIER)
  const answers: Seen[] = []
  let left = EARLIER_REQUESTS * Math.max(1, routing.endpoints[0]?.length ?? 1)
  const worker = async (): Promise<void> => {
    while (left-- > 0) answers.push(await callGateway(request, GOOD_CALLER, { port, agent, asked, bound: BOUND }))
  }
  await Promise.all(Array.from({ length: EARLIER_AT_A_TIME }, worker))
  return answers
}

const idOf = ({ headers }: Seen): string => String(headers['x-request-id'])

/** Records of one request. `ids` are the ids of all others. */
function booksOf({ rows, access, played, refused }: Stage, request: string, isIts: (id: string) => boolean): Books {
  return {
    rows: rows.filter(({ requestId }) => isIts(requestId)),
    access: access.filter(({ requestId }) => isIts(requestId)),
    played: played.filter((call) => call.request === request),
    refused,
  }
}

/** Everything that can be wrong with a request that came at the same time. */
function checkCrowd(sequence: Sequence, stage: Stage, seen: Seen, marker: string): string[] {
  const plain = { ...sequence, caller: GOOD_CALLER }
  const books = booksOf(stage, marker, (id) => id === idOf(seen))
  const { problems } = checkAnswer(plain, seen, { junk: true, raw: true })
  return [...problems, ...checkBooks(plain, seen, books)].map((problem) => `${marker}: ${problem}`)
}

/** Waits until nothing of the requests is in progress. */
async function settled(stage: Stage, upstream: Upstream, requests: number): Promise<string[]> {
  const { gateway, access, names } = stage
  const problems: string[] = []
  if (!(await until(() => access.length >= requests && gateway.inFlight() === 0)))
    problems.push('the request stays in flight')
  if (!(await until(() => names.every((name) => upstream.playing(name) === 0))))
    problems.push('a call of an upstream goes on')
  const busy = (): unknown[] => gateway.health().filter(({ inFlight }) => inFlight !== undefined)
  if (!(await until(() => busy().length === 0))) problems.push(`calls stay in progress: ${JSON.stringify(busy())}`)
  return problems
}

/** The request of a sequence, and everything that can be wrong with what came of it. */
async function check(sequence: Sequence, stage: Stage, upstream: Upstream): Promise<string[]> {
  const { caller, format, routing } = sequence
  const { port, agent, asked } = stage
  const earlier = await callEarlier(sequence, stage)
  const good = requestOf(sequence)
  const request = caller.change?.(good, format) ?? good
  const markers = Array.from({ length: routing?.crowd ?? 0 }, (_, nth) => `crowd-${nth}`)
  const [seen, ...crowd] = await Promise.all([
    callGateway(request, caller, { port, agent, asked, bound: BOUND }),
    ...markers.map((marker) =>
      callGateway(requestOf(sequence, marker), GOOD_CALLER, { port, agent, asked, bound: BOUND }),
    ),
  ])
  const problems = await settled(stage, upstream, earlier.length + crowd.length + 1)
  const others = new Set([...earlier, ...crowd].map(idOf))
  const books = booksOf(stage, MAIN, (id) => !others.has(id))
  problems.push(...checkSeen(sequence, books, seen), ...checkBooks(sequence, seen, books))
  for (const [nth, marker] of markers.entries())
    problems.push(...checkCrowd(sequence, stage, crowd[nth] as Seen, marker))
  problems.push(...checkBudget(stage.budgets, stage.rows), ...new Set(stage.wrong))
  problems.push(...tellsSecret(stage, [...earlier, ...crowd, seen]))
  for (const warning of stage.warnings) problems.push(`a warning: ${warning.slice(0, 600)}`)
  return [...problems, ...(await checkSpare(sequence, stage))]
}

/** Plays a sequence, and says what is wrong with what came of it. */
export async function playSequence(sequence: Sequence, upstream: Upstream): Promise<Report> {
  const stage = await setUp(sequence, upstream)
  const problems: string[] = []
  try {
    problems.push(...(await check(sequence, stage, upstream)))
  } finally {
    problems.push(...(await tearDown(stage, upstream)))
  }
  return {
    seed: sequence.seed,
    what: describeSequence(sequence),
    faults: stage.played.map(({ fault }) => fault),
    problems,
    isHedged: stage.rows.some(hasSecondCall),
  }
}

/** True if one of two calls at the same time was ended because the other one served. */
function hasSecondCall({ attempts }: UsageRow): boolean {
  const [served] = attempts.filter(({ failure }) => failure === undefined)
  return served !== undefined && attempts.some(({ failure }) => failure === 'canceled')
}
