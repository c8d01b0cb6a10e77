import type { ChatRequest, Finish, Loss, MediaBlock, Part } from '@headgate/core/canonical'
import {
  addedUsage,
  assemble,
  type FoundPage,
  failedStream,
  isCount,
  OWN_SEARCH,
  partWriter,
  type StreamObservations,
  type ToolCallBlock,
  type ToolResultBlock,
  type Usage,
} from '@headgate/core/canonical'
import { asError, HeadgateError } from '@headgate/core/errors'
import { charge } from '../../../cost/charge.ts'
import type { Spending } from '../../../cost/spending/spending.ts'
import { signalOf } from '../../../edge/stop.ts'
import type { AttemptOutcome } from '../../../routing/attempts.ts'
import { attemptRemote, type RunningAttempt } from '../../../serve/attempt.ts'
import type { Core } from '../../../serve/core.ts'
import type { DrawnImage, ImageWish } from '../../../serve/image-maker.ts'
import { openCallerStream } from '../caller-stream.ts'
import type { ChatCall } from '../chat-call.ts'
import { estimateUsage } from '../cost/estimate.ts'
import { reserveFurtherCall } from '../cost/reserve.ts'
import { type GatewayImages, type OfferedImages, wishOf } from '../image-tool/offered-images.ts'
import { type ChatPlan, outgoingOf, planFor, type RemotePlan } from '../plan.ts'
import { summaryOfSeen } from '../relay.ts'
import { settle } from '../settle.ts'
import { replyOf, sendWhole, wholeOf } from '../unary.ts'
import { createRound, type ModelRound, roundConsumer } from './model-round.ts'
import type { GatewaySearch, OfferedSearch } from './offered-search.ts'
import { pagesText, queryOf, resultOf } from './results.ts'
import { createTranscript, type SearchTranscript } from './transcript.ts'

/** Output of a response that several model calls produce together. */
interface ModelOutput {
  /** @throws HeadgateError if the parts cannot be written. */
  write(parts: readonly Part[], round: ModelRound): void
  /** True after output was sent, so that no other candidate can serve the request. */
  isCommitted(): boolean
  end(parts: readonly Part[], usage: Usage | undefined, round: ModelRound): Promise<AttemptOutcome>
  /** Ends a committed response with an error. */
  fail(error: HeadgateError, usage: Usage | undefined): Promise<AttemptOutcome>
  close(): void
}

/** Combines all attempts of a response into one. `current` returns the running attempt. */
function joined(current: () => RunningAttempt | undefined): {
  attempt: RunningAttempt
  ended(): Promise<AttemptOutcome>
} {
  let outcome: AttemptOutcome = 'served'
  let isOver = false
  let answered: Promise<void> | undefined
  const attempt: RunningAttempt = {
    status: 200,
    refused: false,
    used: undefined,
    isOver: () => isOver,
    commit() {},
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

/** Output of a unary response. */
function wholeFront(core: Core, chat: ChatCall, plan: ChatPlan, servedFrom: number): ModelOutput {
  const all: Part[] = []
  const { attempt, ended } = joined(() => undefined)
  return {
    write: (parts) => void all.push(...parts),
    isCommitted: () => false,
    end(parts, _usage, { headers }) {
      const whole = wholeOf(assemble([...all, ...parts]), chat, plan.remote)
      sendWhole(core, chat, plan, attempt, whole, headers, { servedFrom })
      return ended()
    },
    fail: async (error) => error,
    close() {},
  }
}

/** Output of a stream. */
export function streamedFront(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  servedFrom: number,
  current: () => RunningAttempt | undefined,
): ModelOutput {
  const losses: Loss[] = []
  const seen: StreamObservations = { content: false, finished: 0 }
  const reply = replyOf(chat, plan.remote)
  const writer = chat.format.writeStream(reply, losses)
  const write = partWriter(writer, undefined, seen)
  const { attempt, ended } = joined(current)
  const caller = openCallerStream(core, chat, plan, attempt, {
    pings: true,
    losses,
    failure: (error) => failedStream(chat.format, writer, reply, error),
  })
  const put = (parts: readonly Part[], { headers }: ModelRound): void => {
    caller.write(write(parts))
    if (seen.content && !caller.committed) caller.commit(headers)
  }
  return {
    write: put,
    isCommitted: () => caller.committed,
    end(parts, usage, round) {
      caller.hold = true
      put(parts, round)
      const summary = summaryOfSeen({ ...seen, ...(usage && { usage }) })
      caller.finish({ status: 200, why: 'served', summary, servedFrom }, writer.end())
      return ended()
    },
    fail(error, usage) {
      const summary = summaryOfSeen({ ...seen, ...(usage && { usage }) })
      const result = { summary, servedFrom, estimated: true }
      caller.close()
      if (error.kind === 'canceled')
        attempt.done(error, () => settle(core, chat, plan, { status: 499, why: 'canceled', losses, ...result }))
      else caller.fail(error, { status: 200, why: 'cut', failure: error.kind, ...result }, false)
      return ended()
    },
    close: () => caller.close(),
  }
}

/** Tool choice for further calls: a required tool is required only once. */
function followed(choice: ChatRequest['toolChoice']): ChatRequest['toolChoice'] {
  if (choice?.type === 'allowed') return { ...choice, required: false }
  return choice?.type === 'auto' || choice === undefined ? choice : { type: 'auto' }
}

const SEARCH_LIMIT_REACHED = 'The search limit for this response is reached. Answer with the information that you have.'

/** State of a response with several model calls, and with searches and images between them. */
interface ToolRun {
  readonly core: Core
  readonly chat: ChatCall
  readonly plan: ChatPlan
  readonly spending: Spending | undefined
  /** Set if the gateway runs web searches. */
  readonly search: { readonly offered: OfferedSearch; readonly own: GatewaySearch } | undefined
  /** Set if the gateway makes images. */
  readonly drawing: { readonly offered: OfferedImages; readonly own: GatewayImages } | undefined
  readonly front: ModelOutput
  readonly transcript: SearchTranscript
  /** The running attempt. */
  current: RunningAttempt | undefined
  usage: Usage | undefined
  /** True if the usage of all calls is known. */
  isCounted: boolean
  /** Number of searches started, and number of searches that succeeded. */
  searches: number
  succeeded: number
  /** Number of images started, number of images created, and the images that the next edit changes. */
  draws: number
  drawn: number
  latest: readonly string[]
  /** Next request to the model. */
  request: ChatRequest
  /** Number of bytes that the prompt is longer than the caller's. */
  bytes: number
}

function totalOf({ usage, isCounted, succeeded: searches, drawn: images }: ToolRun): Usage | undefined {
  if (!usage || !isCounted) return undefined
  const units = { ...(searches > 0 && { searches }), ...(images > 0 && { images }) }
  return searches + images > 0 ? addedUsage(usage, { input: 0, output: 0, units }) : usage
}

/** Charges the last attempt and adds its usage to the response's usage. */
function addUsage(searching: ToolRun, more: Usage | undefined, estimated = false): void {
  const { core, plan, chat } = searching
  const { attempts, startedAt } = chat.context
  charge(attempts.at(-1), more, core.priceOf(plan.candidate, startedAt), estimated)
  searching.isCounted &&= more !== undefined
  if (more) searching.usage = searching.usage ? addedUsage(searching.usage, more) : more
}

/** Runs a search. Undefined = failure; its message is for operators, so the model does not get it. */
async function find(
  searching: ToolRun,
  query: string,
  { offered, own: ownSearch }: NonNullable<ToolRun['search']>,
): Promise<readonly FoundPage[] | undefined> {
  const { core, chat, spending } = searching
  const { context } = chat
  const { count, include, exclude, country } = offered
  const wish = { q: query, count, include, exclude, ...(country !== undefined && { country }) }
  searching.searches++
  try {
    const found = await ownSearch.search.find(context, wish, { signal: signalOf(context), spending })
    searching.succeeded++
    return found
  } catch (error) {
    if (context.stopped) throw context.stopped
    if (asError(error).kind === 'internal') core.warn(`A search for a model failed: ${asError(error).message}`)
    return undefined
  }
}

async function search(
  searching: ToolRun,
  call: ToolCallBlock,
  round: ModelRound,
  tool: NonNullable<ToolRun['search']>,
): Promise<ToolResultBlock> {
  const { chat, transcript, front } = searching
  const query = queryOf(call)
  if (query === undefined) return resultOf(call, 'The field query is missing. Send the search terms in query.', true)
  if (searching.searches >= tool.offered.most) return resultOf(call, SEARCH_LIMIT_REACHED, true)
  const number = transcript.pages.length + 1
  const found = await find(searching, query, tool)
  const { id } = chat.context
  const own = `${OWN_SEARCH}${id.slice(id.indexOf('_') + 1)}${searching.searches}`
  front.write(transcript.searched(own, query, found), round)
  return found ? resultOf(call, pagesText(found, number)) : resultOf(call, 'The search failed.', true)
}

const IMAGE_LIMIT_REACHED = 'The image limit for this response is reached. Answer without another image.'
/** Failures whose reason helps the model to ask for another image. */
const EXPLAINED: ReadonlySet<string> = new Set(['content-policy', 'invalid-request'])

/** Creates an image. A string is the failure, for the model. */
async function make(
  running: ToolRun,
  wish: ImageWish,
  { own }: NonNullable<ToolRun['drawing']>,
): Promise<DrawnImage | string> {
  const { core, chat, spending } = running
  const { context } = chat
  running.draws++
  try {
    const made = await own.maker.make(context, wish, { signal: signalOf(context), spending })
    running.drawn++
    return made
  } catch (cause) {
    if (context.stopped) throw context.stopped
    const error = asError(cause)
    if (error.kind === 'internal') core.warn(`An image for a model failed: ${error.message}`)
    return EXPLAINED.has(error.kind) ? `The image was not created: ${error.message}` : 'The image could not be created.'
  }
}

async function draw(
  running: ToolRun,
  call: ToolCallBlock,
  round: ModelRound,
  tool: NonNullable<ToolRun['drawing']>,
): Promise<ToolResultBlock> {
  const { chat, transcript, front } = running
  const wish = wishOf(call, tool.offered, running.latest)
  if (!wish) return resultOf(call, 'The field prompt is missing. Describe the image in prompt.', true)
  if (running.draws >= tool.offered.most) return resultOf(call, IMAGE_LIMIT_REACHED, true)
  const { id } = chat.context
  const ref = `ig_${OWN_SEARCH}${id.slice(id.indexOf('_') + 1)}${running.draws + 1}`
  front.write([{ type: 'image', ref, state: 'generating' }], round)
  const made = await make(running, wish, tool)
  if (typeof made === 'string') {
    front.write([{ type: 'image', ref, state: 'failed' }], round)
    return resultOf(call, made, true)
  }
  const { type, base64, size, revised } = made
  running.latest = [`data:${type};base64,${base64}`]
  const image: MediaBlock = {
    type: 'media',
    kind: 'image',
    mime: type,
    source: { type: 'base64', data: base64 },
    ref,
    made: { prompt: revised ?? wish.prompt, size, quality: wish.quality, background: wish.background },
  }
  front.write(transcript.drew(image), round)
  return resultOf(call, `The image is ready${size === undefined ? '' : `, ${size} pixels,`} and the user sees it.`)
}

/** Next request to the model, with the remaining output limit. */
function furtherOf({ plan, chat, request, usage }: ToolRun): { request: ChatRequest; isSpent: boolean } {
  const { output } = plan.given
  const limit = output ?? request.maxTokens
  const left = limit === undefined ? undefined : limit - (usage?.output ?? 0)
  const { toolChoice, ...others } = request
  const choice = followed(toolChoice)
  const maxTokens = left !== undefined && { maxTokens: Math.max(1, left) }
  const paths = output === undefined ? request.paths : { ...request.paths, maxTokens: chat.format.outputLimit.name }
  return {
    request: { ...others, ...(choice && { toolChoice: choice }), ...maxTokens, paths },
    isSpent: left !== undefined && left < 1,
  }
}

async function callModel(searching: ToolRun, remote: RemotePlan, round: ModelRound): Promise<AttemptOutcome> {
  const { core, chat, plan, front, transcript } = searching
  const outcome = await attemptRemote(core, chat.context, plan.candidate, outgoingOf(remote), (attempt) => {
    searching.current = attempt
    const take = (parts: readonly Part[]): void => front.write(transcript.parts(parts), round)
    return roundConsumer({ core, chat, plan, remote, attempt, round, take })
  })
  if (outcome === 'served') addUsage(searching, round.seen.usage)
  return outcome
}

/** Ends a response whose model call failed. `isCut` = the model's output was interrupted. */
async function failed(
  searching: ToolRun,
  error: HeadgateError,
  round: ModelRound,
  isCut: boolean,
): Promise<AttemptOutcome> {
  const { core, chat, front } = searching
  if (!front.isCommitted()) {
    front.close()
    return error
  }
  if (isCut) addUsage(searching, await estimateUsage(core, chat, summaryOfSeen(round.seen), round.textSample), true)
  return front.fail(error, totalOf(searching))
}

/** Runs the searches of a turn. Undefined = the model must be called again; else the finish reason of the response. */
async function afterwards(
  searching: ToolRun,
  round: ModelRound,
  isLast: boolean,
): Promise<Finish | 'as-it-was' | undefined> {
  const { transcript, search: searchTool, drawing } = searching
  const { blocks, calls, callsOthers, finish } = transcript.turn()
  if (calls.length === 0 || finish?.reason === 'length') return 'as-it-was'
  const results: ToolResultBlock[] = []
  for (const call of calls) {
    if (searchTool && call.name === searchTool.offered.name)
      results.push(await search(searching, call, round, searchTool))
    else if (drawing) results.push(await draw(searching, call, round, drawing))
  }
  if (callsOthers) return { reason: 'tool-calls' }
  if (isLast) return { reason: 'stop' }
  const { request: next, isSpent } = furtherOf(searching)
  if (isSpent) return { reason: 'length' }
  const added: ChatRequest['messages'] = [
    { role: 'assistant', blocks },
    { role: 'user', blocks: results },
  ]
  searching.bytes += Buffer.byteLength(JSON.stringify(added))
  const closed = new Set<string>()
  if (searchTool && searching.searches >= searchTool.offered.most) closed.add(searchTool.offered.name)
  if (drawing && searching.draws >= drawing.offered.most) closed.add(drawing.offered.name)
  const tools = closed.size > 0 ? next.tools?.filter(({ name }) => !closed.has(name)) : next.tools
  searching.request = { ...next, ...(tools && { tools }), messages: [...next.messages, ...added] }
  return undefined
}

/** Plans a further model call and reserves its cost. */
async function planFurther(searching: ToolRun): Promise<RemotePlan> {
  const { core, chat, plan, spending, request, bytes } = searching
  const { remote } = planFor(chat, plan.candidate, { ...plan.given, request })
  if (!remote) throw new HeadgateError('internal', 'The next model call could not be planned.')
  if (spending) await reserveFurtherCall(core, chat, { ...plan, given: { ...plan.given, request } }, spending, bytes)
  return remote
}

function beginRun(core: Core, chat: ChatCall, plan: ChatPlan, spending: Spending | undefined): ToolRun {
  const { gatewaySearch, gatewayImages, context } = chat
  const { searching: searches, drawing: images } = plan
  const request = images?.request ?? searches?.request
  if (!request) throw new TypeError('The plan has no tool of the gateway.')
  const names = [searches?.name, images?.name].filter((name) => name !== undefined)
  const servedFrom = context.attempts.length
  const current = (): RunningAttempt | undefined => searching.current
  const searching: ToolRun = {
    core,
    chat,
    plan,
    spending,
    search: searches && gatewaySearch && { offered: searches, own: gatewaySearch },
    drawing: images && gatewayImages && { offered: images, own: gatewayImages },
    front: chat.stream
      ? streamedFront(core, chat, plan, servedFrom, current)
      : wholeFront(core, chat, plan, servedFrom),
    transcript: createTranscript(new Set(names)),
    current: undefined,
    usage: undefined,
    isCounted: true,
    searches: 0,
    succeeded: 0,
    draws: 0,
    drawn: 0,
    latest: images?.images ?? [],
    request,
    bytes: 0,
  }
  return searching
}

/**
 * Serves a request with the gateway's web search or image tool: calls the model, runs its tools and calls it again with
 * the results, until it calls none of them. The result is one response with one usage row.
 */
export async function callWithTools(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  first: RemotePlan,
  spending: Spending | undefined,
): Promise<AttemptOutcome> {
  const searching = beginRun(core, chat, plan, spending)
  const { context } = chat
  const { front, transcript, search: searches, drawing } = searching
  const most = (searches?.offered.most ?? 0) + (drawing?.offered.most ?? 0)
  for (let number = 0; ; number++) {
    const round = createRound(context.memory)
    try {
      const remote = number > 0 ? await planFurther(searching) : first
      const outcome = await callModel(searching, remote, round)
      if (outcome !== 'served') {
        const isCut = isCount(round.textSample.length) && round.seen.content
        return await failed(searching, outcome, round, isCut)
      }
      const end = await afterwards(searching, round, number > most)
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
