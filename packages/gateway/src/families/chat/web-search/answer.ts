import type { ChatRequest, Finish, Loss, Part } from '@headgate/core/canonical'
import {
  addedUsage,
  assemble,
  type FoundPage,
  failedStream,
  isCount,
  OWN_SEARCH,
  partWriter,
  type Seen,
  type ToolCallBlock,
  type ToolResultBlock,
  type Usage,
} from '@headgate/core/canonical'
import { asError, HeadgateError } from '@headgate/core/errors'
import { charge } from '../../../cost/charge.ts'
import type { Spending } from '../../../cost/spending/spending.ts'
import { signalOf } from '../../../edge/stop.ts'
import type { Outcome } from '../../../routing/attempts.ts'
import { type Attempt, attemptRemote } from '../../../serve/attempt.ts'
import type { Core } from '../../../serve/core.ts'
import type { Ask } from '../ask.ts'
import { reserveFurther } from '../cost/afford.ts'
import { estimateUsage } from '../cost/estimate.ts'
import { openOutlet } from '../outlet.ts'
import { outgoingOf, type Plan, planFor, type RemotePlan } from '../plan.ts'
import { tallyOfSeen } from '../relay.ts'
import { settle } from '../settle.ts'
import { replyOf, sendWhole, wholeOf } from '../unary.ts'
import type { Offered, OwnSearch } from './offered.ts'
import { pagesText, queryOf, resultOf } from './results.ts'
import { createRound, type Round, roundConsumer } from './round.ts'
import { createTranscript, type Transcript } from './transcript.ts'

/** The answer as it goes out, of which the calls that make it are not told apart. */
interface Front {
  /** Throws HeadgateError for what can not be written. */
  write(parts: readonly Part[], round: Round): void
  /** Whether some of it has gone out, so that nobody else can answer. */
  isCommitted(): boolean
  end(parts: readonly Part[], usage: Usage | undefined, round: Round): Promise<Outcome>
  /** Ends what is committed. */
  fail(error: HeadgateError, usage: Usage | undefined): Promise<Outcome>
  close(): void
}

/** One attempt in place of all that make the answer; `current`: the one that runs. */
function joined(current: () => Attempt | undefined): { attempt: Attempt; ended(): Promise<Outcome> } {
  let outcome: Outcome = 'served'
  let isOver = false
  let answered: Promise<void> | undefined
  const attempt: Attempt = {
    status: 200,
    refused: false,
    used: undefined,
    isOver: () => isOver,
    onStop() {},
    get call() {
      return current()?.call
    },
    done(given, answer) {
      if (isOver) return
      isOver = true
      outcome = given
      answered = answer?.()
    },
  }
  return { attempt, ended: async () => answered?.then(() => outcome) ?? outcome }
}

/** An answer that goes out whole. */
function wholeFront(core: Core, ask: Ask, plan: Plan, servedFrom: number): Front {
  const all: Part[] = []
  const { attempt, ended } = joined(() => undefined)
  return {
    write: (parts) => void all.push(...parts),
    isCommitted: () => false,
    end(parts, _usage, { headers }) {
      const whole = wholeOf(assemble([...all, ...parts]), ask, plan.remote)
      sendWhole(core, ask, plan, attempt, whole, headers, { servedFrom })
      return ended()
    },
    fail: async (error) => error,
    close() {},
  }
}

/** An answer that goes out as it comes. */
export function streamedFront(
  core: Core,
  ask: Ask,
  plan: Plan,
  servedFrom: number,
  current: () => Attempt | undefined,
): Front {
  const losses: Loss[] = []
  const seen: Seen = { content: false, finished: 0 }
  const reply = replyOf(ask, plan.remote)
  const writer = ask.format.writeStream(reply, losses)
  const write = partWriter(writer, undefined, seen)
  const { attempt, ended } = joined(current)
  const outlet = openOutlet(core, ask, plan, attempt, {
    pings: true,
    losses,
    failure: (error) => failedStream(ask.format, writer, reply, error),
  })
  const put = (parts: readonly Part[], { headers }: Round): void => {
    outlet.write(write(parts))
    if (seen.content && !outlet.committed) outlet.commit(headers)
  }
  return {
    write: put,
    isCommitted: () => outlet.committed,
    end(parts, usage, round) {
      outlet.hold = true
      put(parts, round)
      const tally = tallyOfSeen({ ...seen, ...(usage && { usage }) })
      outlet.finish({ status: 200, why: 'served', tally, servedFrom }, writer.end())
      return ended()
    },
    fail(error, usage) {
      const tally = tallyOfSeen({ ...seen, ...(usage && { usage }) })
      const result = { tally, servedFrom, estimated: true }
      outlet.close()
      if (error.kind === 'canceled')
        attempt.done(error, () => settle(core, ask, plan, { status: 499, why: 'canceled', losses, ...result }))
      else outlet.fail(error, { status: 200, why: 'cut', failure: error.kind, ...result }, false)
      return ended()
    },
    close: () => outlet.close(),
  }
}

/** A choice that has been followed is none any more. */
function followed(choice: ChatRequest['toolChoice']): ChatRequest['toolChoice'] {
  if (choice?.type === 'allowed') return { ...choice, required: false }
  return choice?.type === 'auto' || choice === undefined ? choice : { type: 'auto' }
}

const PAID_OUT = 'No more searches can be made for this answer: answer with what is known.'

/** An answer that is made of several calls of a model, and of searches between them. */
interface Searching {
  readonly core: Core
  readonly ask: Ask
  readonly plan: Plan
  readonly spending: Spending | undefined
  readonly offered: Offered
  readonly ownSearch: OwnSearch
  readonly front: Front
  readonly transcript: Transcript
  /** The attempt that runs. */
  current: Attempt | undefined
  usage: Usage | undefined
  /** Whether the usage of all calls is known. */
  isCounted: boolean
  /** Searches that were begun, and those that were answered. */
  searches: number
  answered: number
  /** What the model is asked next. */
  request: ChatRequest
  /** Bytes by which the prompt is longer than the caller's. */
  bytes: number
}

function totalOf({ usage, isCounted, answered }: Searching): Usage | undefined {
  if (!usage || !isCounted) return undefined
  return answered > 0 ? addedUsage(usage, { input: 0, output: 0, units: { searches: answered } }) : usage
}

/** Charges the last attempt, and adds its usage to that of the answer. */
function addUsage(searching: Searching, more: Usage | undefined, estimated = false): void {
  const { core, plan, ask } = searching
  const { attempts, startedAt } = ask.context
  charge(attempts.at(-1), more, core.priceOf(plan.candidate, startedAt), estimated)
  searching.isCounted &&= more !== undefined
  if (more) searching.usage = searching.usage ? addedUsage(searching.usage, more) : more
}

/** The pages that a search finds. The words of a failure are for operators, so the model does not get them. */
async function find(searching: Searching, query: string): Promise<readonly FoundPage[] | undefined> {
  const { core, ask, offered, ownSearch, spending } = searching
  const { context } = ask
  const { count, include, exclude, country } = offered
  const wish = { q: query, count, include, exclude, ...(country !== undefined && { country }) }
  searching.searches++
  try {
    const found = await ownSearch.search.find(context, wish, { signal: signalOf(context), spending })
    searching.answered++
    return found
  } catch (error) {
    if (context.stopped) throw context.stopped
    if (asError(error).kind === 'internal') core.warn(`A search for a model has failed: ${asError(error).message}`)
    return undefined
  }
}

async function search(searching: Searching, call: ToolCallBlock, round: Round): Promise<ToolResultBlock> {
  const { ask, offered, transcript, front } = searching
  const query = queryOf(call)
  if (query === undefined) return resultOf(call, 'The field query is missing: the words to search for.', true)
  if (searching.searches >= offered.most) return resultOf(call, PAID_OUT, true)
  const number = transcript.pages.length + 1
  const found = await find(searching, query)
  const { id } = ask.context
  const own = `${OWN_SEARCH}${id.slice(id.indexOf('_') + 1)}${searching.searches}`
  front.write(transcript.searched(own, query, found), round)
  return found ? resultOf(call, pagesText(found, number)) : resultOf(call, 'The search has failed.', true)
}

/** The next request of the model, whose output is limited by what is left. */
function furtherOf({ plan, ask, request, usage }: Searching): { request: ChatRequest; isSpent: boolean } {
  const { output } = plan.given
  const limit = output ?? request.maxTokens
  const left = limit === undefined ? undefined : limit - (usage?.output ?? 0)
  const { toolChoice, ...others } = request
  const choice = followed(toolChoice)
  const maxTokens = left !== undefined && { maxTokens: Math.max(1, left) }
  const paths = output === undefined ? request.paths : { ...request.paths, maxTokens: ask.format.outputLimit.name }
  return {
    request: { ...others, ...(choice && { toolChoice: choice }), ...maxTokens, paths },
    isSpent: left !== undefined && left < 1,
  }
}

async function callModel(searching: Searching, remote: RemotePlan, round: Round): Promise<Outcome> {
  const { core, ask, plan, front, transcript } = searching
  const outcome = await attemptRemote(core, ask.context, plan.candidate, outgoingOf(remote), (attempt) => {
    searching.current = attempt
    const take = (parts: readonly Part[]): void => front.write(transcript.parts(parts), round)
    return roundConsumer({ core, ask, plan, remote, attempt, round, take })
  })
  if (outcome === 'served') addUsage(searching, round.seen.usage)
  return outcome
}

/** Ends an answer whose model failed; `isCut`: in the middle of what it said. */
async function failed(searching: Searching, error: HeadgateError, round: Round, isCut: boolean): Promise<Outcome> {
  const { core, ask, front } = searching
  if (!front.isCommitted()) {
    front.close()
    return error
  }
  if (isCut) addUsage(searching, await estimateUsage(core, ask, tallyOfSeen(round.seen), round.heard), true)
  return front.fail(error, totalOf(searching))
}

/** Makes the searches of a turn. Undefined = the model is to be called again, else why the answer ends. */
async function afterwards(
  searching: Searching,
  round: Round,
  isLast: boolean,
): Promise<Finish | 'as-it-was' | undefined> {
  const { transcript, offered } = searching
  const { blocks, searches: calls, callsOthers, finish } = transcript.turn()
  if (calls.length === 0 || finish?.reason === 'length') return 'as-it-was'
  const results: ToolResultBlock[] = []
  for (const call of calls) results.push(await search(searching, call, round))
  if (callsOthers) return { reason: 'tool-calls' }
  if (isLast) return { reason: 'stop' }
  const { request: next, isSpent } = furtherOf(searching)
  if (isSpent) return { reason: 'length' }
  const added: ChatRequest['messages'] = [
    { role: 'assistant', blocks },
    { role: 'user', blocks: results },
  ]
  searching.bytes += Buffer.byteLength(JSON.stringify(added))
  const isOpen = searching.searches < offered.most
  const tools = isOpen ? next.tools : next.tools?.filter(({ name }) => name !== offered.name)
  searching.request = { ...next, ...(tools && { tools }), messages: [...next.messages, ...added] }
  return undefined
}

/** Plans a further call of the model, and reserves what it may cost. */
async function planFurther(searching: Searching): Promise<RemotePlan> {
  const { core, ask, plan, spending, request, bytes } = searching
  const { remote } = planFor(ask, plan.candidate, { ...plan.given, request })
  if (!remote) throw new HeadgateError('internal', 'A further call of the model could not be planned.')
  if (spending) await reserveFurther(core, ask, { ...plan, given: { ...plan.given, request } }, spending, bytes)
  return remote
}

function beginSearching(core: Core, ask: Ask, plan: Plan, spending: Spending | undefined): Searching {
  const { ownSearch, context } = ask
  const { searching: offered } = plan
  if (!offered || !ownSearch) throw new TypeError('The plan has no search.')
  const servedFrom = context.attempts.length
  const current = (): Attempt | undefined => searching.current
  const searching: Searching = {
    core,
    ask,
    plan,
    spending,
    offered,
    ownSearch,
    front: ask.stream ? streamedFront(core, ask, plan, servedFrom, current) : wholeFront(core, ask, plan, servedFrom),
    transcript: createTranscript(offered.name),
    current: undefined,
    usage: undefined,
    isCounted: true,
    searches: 0,
    answered: 0,
    request: offered.request,
    bytes: 0,
  }
  return searching
}

/**
 * Answers a request whose web search is the gateway's own: the model is called, its searches are made, and it is called
 * again with what was found, until it searches no more. All of that is one answer and one usage row.
 */
export async function askSearching(
  core: Core,
  ask: Ask,
  plan: Plan,
  first: RemotePlan,
  spending: Spending | undefined,
): Promise<Outcome> {
  const searching = beginSearching(core, ask, plan, spending)
  const { context } = ask
  const { front, transcript, offered } = searching
  for (let number = 0; ; number++) {
    const round = createRound(context.memory)
    try {
      const remote = number > 0 ? await planFurther(searching) : first
      const outcome = await callModel(searching, remote, round)
      if (outcome !== 'served') {
        const isCut = isCount(round.heard.length) && round.seen.content
        return await failed(searching, outcome, round, isCut)
      }
      const end = await afterwards(searching, round, number > offered.most)
      if (end !== undefined) {
        const total = totalOf(searching)
        return await front.end(transcript.end(total, end === 'as-it-was' ? undefined : end), total, round)
      }
      if (context.stopped) throw context.stopped
    } catch (error) {
      return failed(searching, asError(error), round, false)
    }
  }
}
