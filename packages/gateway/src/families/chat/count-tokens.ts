import type { Format } from '@headgate/core/canonical'
import { addLosses, isCount, isObject, type Json, type Loss, ownPaths, parse } from '@headgate/core/canonical'
import { HeadgateError } from '@headgate/core/errors'
import { type ParsedBody, parseBody, requireString } from '../../edge/body.ts'
import { hopsOf } from '../../edge/hops.ts'
import { signalOf } from '../../edge/stop.ts'
import { finishExchange } from '../../http/exchange.ts'
import { type Context, sendServed } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { explain, failureOf } from '../../serve/failure.ts'
import { checkStrict } from '../../serve/losses.ts'
import { checkModel, route } from '../../serve/route.ts'
import { upstreamAccessOf } from '../../serve/trace.ts'
import { type ChatCall, createChatCall } from './chat-call.ts'
import { texts } from './cost/texts.ts'
import { createPlanPreparer } from './media-preparation.ts'
import { callersNaming, callNaming } from './overrides.ts'
import { type ChatPlan, planFor } from './plan.ts'
import { candidatesAtProvider, conversationStateOf, storableState } from './responses/conversation-state.ts'
import type { ChatLine } from './serve.ts'

/** Counts with the provider's own endpoint; undefined if it has none. Losses are added to the plan. */
async function native(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  body: Json,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { instance, endpoint } = plan.candidate
  const exchange = endpoint.provider.countTokens
  const { remote, losses } = plan
  if (!exchange || !remote) return undefined
  const input = { model: remote.target.model, body }
  const lost: Loss[] = []
  const naming = remote.native ? undefined : callersNaming(chat.canonical(), remote.format, body)
  const first = exchange.request(input, callNaming(remote.call, lost, naming))
  addLosses(losses, remote.native ? lost : ownPaths(lost, chat.body.json, chat.format.fieldNames))
  checkStrict(chat.context, losses, `Provider ${instance.name}`)
  const tokens = await finishExchange(
    upstreamAccessOf(core, chat.context, instance.name, endpoint.provider),
    endpoint.provider,
    first,
    (answer, earlier) => exchange.response(answer, input, earlier),
    {
      limit: core.limits.answer,
      signal,
      memory: chat.context.memory,
      waiting: instance.waiting,
      hops: hopsOf(chat.context.incoming),
      check(answer) {
        const error = failureOf(answer, remote.format, endpoint.provider)
        if (error) throw explain(error, instance.name, remote.target.model, endpoint.provider)
      },
    },
  )
  if (isCount(tokens)) return tokens
  throw new HeadgateError('upstream', `${instance.name}: the adapter did not return a token count.`)
}

/** The chat request to count. Some clients wrap it in another object. */
function counted(format: Format, body: ParsedBody): ParsedBody {
  const json = format.counting?.request(body.json) ?? body.json
  return json === body.json ? body : parseBody(Buffer.from(JSON.stringify(json)))
}

/**
 * Responds with the input tokens of a chat request: the first candidate's native count, else an estimate with the
 * header `headgate-estimated: true`. Nothing is billed.
 */
export async function serveCountTokens(
  core: Core,
  context: Context,
  given: ParsedBody,
  { format, model: inPath }: ChatLine,
): Promise<void> {
  const asked = counted(format, given)
  const model = inPath ?? requireString(asked.json, 'model')
  checkModel(context, model)
  const stored = await conversationStateOf(core, context, format, asked)
  const state = storableState(stored)
  const body = state?.body ?? asked
  const chat = createChatCall(
    { context, format, body, model, stream: false, framing: 'sse', ...(state && { state }) },
    core.storedResponses.keepMs,
  )
  const routed = await route(core, context, { model, family: 'chat' })
  const [candidate] = stored ? candidatesAtProvider(routed, stored) : routed
  if (!candidate) throw new HeadgateError('unknown-model', `No provider has the model "${model}".`, { param: 'model' })
  const planned = planFor(chat, candidate)
  const plan =
    planned.pending && candidate.endpoint.provider.countTokens ? await createPlanPreparer(core, chat)(planned) : planned
  const sent: unknown = plan.remote ? parse(Buffer.from(plan.remote.body).toString('utf8')) : body.json
  if (context.stopped) throw context.stopped
  const signal = AbortSignal.any([signalOf(context), AbortSignal.timeout(core.times.whole)])
  const exact = await native(core, chat, plan, isObject(sent) ? sent : {}, signal)
  const tokens = exact ?? (await core.estimate([...texts(body.json)].join('\n')))
  const answer = Buffer.from(JSON.stringify(format.counting?.answer(tokens) ?? { tokens }))
  const isExact = exact !== undefined
  sendServed(
    context,
    { name: candidate.instance.name, losses: isExact ? plan.losses : [] },
    answer,
    isExact ? {} : { 'headgate-estimated': 'true' },
  )
}
