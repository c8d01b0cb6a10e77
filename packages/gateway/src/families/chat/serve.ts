import { compact, type Format, type Json, objects } from '@headgate/core/canonical'
import { asError, invalid } from '@headgate/core/errors'
import { isVendors } from '@headgate/core/formats'
import type { Spending } from '../../cost/spending/spending.ts'
import type { ParsedBody } from '../../edge/body.ts'
import { parseBody, requireString } from '../../edge/body.ts'
import { headerOf } from '../../edge/sink.ts'
import { splice } from '../../edge/splice.ts'
import type { AttemptOutcome } from '../../routing/attempts.ts'
import type { Candidate } from '../../routing/candidates.ts'
import { attemptRemote } from '../../serve/attempt.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { route } from '../../serve/route.ts'
import { type RoutingFields, readRoutingFields, routingCuts } from '../../serve/routing-request.ts'
import { PROVIDERS, serve } from '../../serve/serve.ts'
import type { OpenedRequest, ServingMode } from '../../serve/served.ts'
import { type ChatCall, createChatCall } from './chat-call.ts'
import { boundOf, reserveCost } from './cost/reserve.ts'
import { expectedTokens } from './cost/token-estimate.ts'
import { planWithoutReasoning } from './foreign-reasoning.ts'
import { mayDraw } from './image-tool/offered-images.ts'
import { callInProcess } from './in-process.ts'
import { createPlanPreparer } from './media-preparation.ts'
import { type ChatPlan, outgoingOf, planFor } from './plan.ts'
import { callPolled } from './polled.ts'
import { prefixOfChat } from './prefix.ts'
import { type BackgroundRuns, serveInBackground } from './responses/background.ts'
import {
  type ConversationState,
  candidatesAtProvider,
  conversationStateOf,
  type StorageLocation,
  storableState,
} from './responses/conversation-state.ts'
import { factsOf } from './settle.ts'
import { streamConsumer } from './stream.ts'
import { unaryConsumer } from './unary.ts'
import { callWithTools } from './web-search/call.ts'
import { maySearch } from './web-search/offered-search.ts'

/** Path and query of a chat request. */
export interface ChatLine {
  /** The caller's format. */
  readonly format: Format
  /** Absent if the body names the model. */
  readonly model: string | undefined
  /** Absent if the body decides. */
  readonly stream: boolean | undefined
  readonly query: string
}

/** Framing of the caller's stream. If the path requests the stream, it is a JSON array, except with `alt=sse`. */
function framingOf({ stream, query }: ChatLine): 'sse' | 'json-array' {
  return stream === undefined || new URLSearchParams(query).get('alt') === 'sse' ? 'sse' : 'json-array'
}

function streamOf(body: ParsedBody): boolean {
  const stream = body.json['stream']
  if (stream === undefined || stream === null) return false
  if (typeof stream !== 'boolean')
    throw invalid('stream', `The field stream must be true or false, not a ${typeof stream}.`)
  return stream
}

/** The gateway's web search, if the caller can use it and the request may need it. */
function gatewaySearchFor(
  core: Core,
  { principal }: Context,
  { json }: ParsedBody,
): Pick<ChatCall, 'gatewaySearch'> | undefined {
  const { webSearchMode: mode, webSearch: search } = core
  if (mode === 'off' || !search || !maySearch(json) || !search.isOpenTo(principal)) return undefined
  return { gatewaySearch: { search, mode } }
}

/** Alias of the image model for image tools that name none. */
const IMAGE_ALIAS = 'image'

/** The gateway's images, if the request may need them. */
function gatewayImagesFor(core: Core, { json }: ParsedBody): Pick<ChatCall, 'gatewayImages'> | undefined {
  const { imageToolMode: mode, imageMaker: maker, aliases } = core
  if (mode === 'off' || !maker || !mayDraw(json)) return undefined
  return { gatewayImages: { maker, mode, alias: Object.hasOwn(aliases, IMAGE_ALIAS) ? IMAGE_ALIAS : undefined } }
}

/** Creates the state of a request. `state` is its conversation state. */
function chatCallOf(
  core: Core,
  context: Context,
  body: ParsedBody,
  asked: Pick<ChatCall, 'format' | 'model' | 'stream' | 'framing' | 'fields' | 'preferences'>,
  state: ConversationState | undefined,
): ChatCall {
  const { format, model, stream, framing, fields, preferences } = asked
  return createChatCall(
    {
      fields,
      preferences,
      context,
      format,
      body: state?.body ?? body,
      model,
      stream,
      framing,
      ...(state && { state }),
      ...gatewaySearchFor(core, context, body),
      ...gatewayImagesFor(core, body),
    },
    core.storedResponses.keepMs,
  )
}

/** Calls the candidate of a plan. */
function callPlan(core: Core, chat: ChatCall, plan: ChatPlan, spending: Spending | undefined): Promise<AttemptOutcome> {
  const { remote, support } = plan
  if (!remote) return callInProcess(core, chat, plan, support as Extract<ChatPlan['support'], { run: unknown }>)
  if (plan.searching || plan.drawing) return callWithTools(core, chat, plan, remote, spending)
  if (remote.support.poll) return callPolled(core, chat, plan, remote)
  const consume = chat.stream ? streamConsumer : unaryConsumer
  return attemptRemote(core, chat.context, plan.candidate, outgoingOf(remote), (attempt) =>
    consume(core, chat, plan, remote, attempt),
  )
}

/**
 * Calls the candidate of a plan. If its provider rejects encrypted reasoning that another account issued, as after a
 * failover, the candidate is called once more without the reasoning.
 */
async function callWithoutForeign(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  spending: Spending | undefined,
): Promise<AttemptOutcome> {
  const outcome = await callPlan(core, chat, plan, spending)
  const code = plan.remote?.format.foreignReasoning
  if (outcome === 'served' || code === undefined || outcome.code !== code || chat.context.stopped) return outcome
  try {
    const again = planWithoutReasoning(chat, plan)
    if (!again) return outcome
    return await callPlan(core, chat, spending ? await reserveCost(core, chat, spending, again) : again, spending)
  } catch (error) {
    return asError(error)
  }
}

/**
 * True if a second call of a plan has no effects besides its cost: nothing is stored, and no tools run at the provider.
 */
function mayHedge({ state, body }: ChatCall, { remote, searching, drawing }: ChatPlan): boolean {
  if (!remote || searching || drawing || remote.support.poll || state?.keeps) return false
  return !objects(body.json['tools']).some(isVendors)
}

/** Rank of a plan: plans without losses come first, then plans without media to fetch. */
function lackOf({ losses, pending }: ChatPlan): number {
  return 2 * Number(losses.length > 0) + Number(pending !== undefined)
}

function wayOf({ support, remote }: ChatPlan): ServingMode {
  if ('run' in support) return 'in-process'
  return remote?.native ? 'bytes' : 'translated'
}

/** Routing fields of a body. A request that the header `vendor` pins keeps them, for its provider. */
function routingFieldsOf({ incoming }: Context, { json }: ParsedBody): RoutingFields | undefined {
  const vendor = headerOf(incoming, 'vendor')?.toLowerCase()
  if (vendor !== undefined && vendor !== 'auto') return undefined
  const beta = String(incoming.headers['anthropic-beta'] ?? '')
  return readRoutingFields(json, { keepsFallbacks: beta.includes('server-side-fallback') })
}

/** Fields for upstreams that route themselves. */
function preferencesOf({ provider, session_id }: Json): Json {
  return compact({ provider, session_id })
}

/** A body without routing fields, which concern only the gateway. */
function withoutFields(body: ParsedBody, fields: RoutingFields | undefined): ParsedBody {
  const cuts = routingCuts(fields)
  return cuts.length === 0 ? body : parseBody(splice(body.bytes, body.spans, cuts))
}

/** Pipeline settings of a chat request. */
function servedOf(
  core: Core,
  runs: BackgroundRuns,
  chat: ChatCall,
  stored: ConversationState | StorageLocation | undefined,
): OpenedRequest<Candidate, ChatPlan> {
  const { context, model, state } = chat
  const routed = route(core, context, { model, family: 'chat', fields: chat.fields })
  const atHomeOf = (found: readonly Candidate[]) => (stored ? candidatesAtProvider(found, stored) : found)
  const ready = createPlanPreparer(core, chat)
  const { background } = chat.format
  return {
    candidates: routed instanceof Promise ? routed.then(atHomeOf) : atHomeOf(routed),
    prefix: (tenantKey) => prefixOfChat(chat, tenantKey),
    writesCache: () => chat.body.bytes.includes('"cache_control"'),
    plan: (candidate) => planFor(chat, candidate),
    lack: lackOf,
    mayHedge: (plan) => mayHedge(chat, plan),
    isStream: chat.stream,
    wayOf,
    fetches: ({ pending = [] }) => pending.map(({ path }) => path),
    bound: (plan) => boundOf(core, chat, plan),
    ready: (plan) => (plan.pending ? ready(plan) : undefined),
    reserve: (plan, spending) => reserveCost(core, chat, spending, plan),
    call: (plan, spending) => callWithoutForeign(core, chat, plan, spending),
    facts: (plan, end) => factsOf(chat, plan, { ...end, summary: {} }),
    ...(state?.background &&
      background && { around: (run: () => Promise<void>) => serveInBackground(core, runs, chat, background, run) }),
  }
}

/** Serves one chat request. @throws HeadgateError for the caller. */
export async function serveChat(
  core: Core,
  runs: BackgroundRuns,
  context: Context,
  given: ParsedBody,
  line: ChatLine,
): Promise<void> {
  const { format } = line
  context.asked = { family: 'chat', format: format.id, model: line.model ?? '' }
  const model = line.model ?? requireString(given.json, 'model')
  const fields = routingFieldsOf(context, given)
  const body = withoutFields(given, fields)
  const asked = {
    format,
    model,
    stream: line.stream ?? streamOf(body),
    framing: framingOf(line),
    fields,
    preferences: fields && preferencesOf(given.json),
  }
  const opened = (stored: ConversationState | StorageLocation | undefined) =>
    servedOf(core, runs, chatCallOf(core, context, body, asked, storableState(stored)), stored)
  return serve(core, context, {
    family: 'chat',
    format: format.id,
    model,
    targets: PROVIDERS,
    rateNames: format.rateNames,
    estimate: () => expectedTokens(body, format.id),
    open() {
      const found = conversationStateOf(core, context, format, body)
      return found instanceof Promise ? found.then(opened) : opened(found)
    },
  })
}
