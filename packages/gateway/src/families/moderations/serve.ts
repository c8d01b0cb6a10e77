import { addedUsage, isObject, objects, type Usage } from '@headgate/core/canonical'
import { forModel, type Provider } from '@headgate/core/contract'
import type { CostInput, UsageBound } from '../../cost/bound.ts'
import { tokensOf } from '../../cost/bound.ts'
import type { ParsedBody } from '../../edge/body.ts'
import { finishExchange } from '../../http/exchange.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { inParallel } from '../../serve/in-parallel.ts'
import { route } from '../../serve/route.ts'
import { upstreamAccessOf } from '../../serve/trace.ts'
import { serveUnary, type UnaryResponse } from '../../serve/unary.ts'
import { type CallResult, type CandidateCall, callSupport, upstreamCaller } from '../../serve/upstream-caller.ts'
import { type ModerationsCall, type ModerationsPlan, planFor } from './plan.ts'
import { checkedResults, type ModerationsInput, readModerations, resultCount, writeModerations } from './wire.ts'

/** Model of requests that name none, unless the alias `moderation` exists. */
const DEFAULT_MODEL = 'omni-moderation-latest'
const DEFAULT_ALIAS = 'moderation'
/** Tokens of a model that does not name them, for each content. */
const TOKENS = { input: 64, output: 256 } as const

/** Worst-case usage: tokens, or classified contents for providers that count these. */
export function boundOfModerations({ body, provider, model = '' }: CostInput): UsageBound | undefined {
  if (!body) return undefined
  return boundOf(resultCount(body.json), body, provider, model)
}

function boundOf(
  contents: number,
  { bytes, json }: ParsedBody,
  provider: Provider | undefined,
  model: string,
): UsageBound {
  const { input, output } = forModel(provider?.moderations?.tokens, model) ?? TOKENS
  // The tokens of an image of unknown size are unknown.
  const hasImages = objects(json['input']).some(({ type }) => type === 'image_url')
  const ofImages = hasImages ? Number.POSITIVE_INFINITY : 0
  return {
    input: bytes.length + contents * input + ofImages,
    output: contents * output,
    perhaps: { moderations: recordsOf(json['input']) },
  }
}

/** Characters that some providers bill as one moderation. */
const RECORD = 1_000

/** Maximum number of billed moderations of an input: strings by their length, and images. */
function recordsOf(input: unknown): number {
  if (typeof input === 'string') return Math.max(1, Math.ceil(input.length / RECORD))
  if (Array.isArray(input)) return input.reduce<number>((sum, one) => sum + recordsOf(one), 0)
  return isObject(input) && typeof input['text'] === 'string' ? recordsOf(input['text']) : 1
}

/** Usage of a provider that reports none: the number of classified contents. */
function countedUsage(contents: number): Usage {
  return { input: 0, output: 0, units: { moderations: contents } }
}

/** Calls a candidate. @throws HeadgateError */
async function callCandidate(
  { body, input }: ModerationsCall,
  plan: ModerationsPlan,
  asking: CandidateCall,
): Promise<UnaryResponse> {
  const { core, context, candidate, signal, accounts } = asking
  const { name } = candidate.instance
  const { provider } = candidate.endpoint
  const { model } = candidate
  const contents = input().inputs.length
  if (plan.way === 'native') {
    const call = upstreamCaller(core, context, candidate, signal, accounts)
    const given = await call(
      () => boundOfModerations({ body, provider, model }),
      async (options) => {
        const access = upstreamAccessOf(core, context, name, provider)
        const response = await finishExchange(access, provider, plan.request, plan.read, options)
        return { ...response, usage: countedUsage(contents) }
      },
    )
    return { bytes: given.bytes, given }
  }
  const abort = new AbortController()
  const within: CandidateCall = { ...asking, signal: AbortSignal.any([signal, abort.signal]) }
  const parts = await inParallel(plan.batches, abort, (batch) => {
    const due = batch.input.inputs.length
    return callSupport(
      within,
      () => boundOf(due, body, provider, model),
      batch,
      (answer) => ({
        results: checkedResults(answer, due),
        usage: answer.usage ?? countedUsage(due),
        model: answer.model ?? model,
      }),
    )
  })
  const [first] = parts
  const given: CallResult = {
    usage: parts.map(({ usage }) => usage).reduce(addedUsage),
    model: first?.model ?? model,
  }
  const results = parts.flatMap((part) => part.results)
  const written = writeModerations({ results, model: given.model ?? model, id: context.id })
  return { bytes: Buffer.from(JSON.stringify(written)), given }
}

/** Serves one moderation request. @throws HeadgateError for the caller. */
export async function serveModerations(core: Core, context: Context, body: ParsedBody): Promise<void> {
  const { model: named } = body.json
  const model =
    typeof named === 'string' && named !== ''
      ? named
      : Object.hasOwn(core.aliases, DEFAULT_ALIAS)
        ? DEFAULT_ALIAS
        : DEFAULT_MODEL
  let read: ModerationsInput | undefined
  const input = (): ModerationsInput => {
    read ??= readModerations(body.json)
    return read
  }
  const asked: ModerationsCall = { body, model, input }
  return serveUnary<ModerationsPlan>(core, context, {
    family: 'moderations',
    format: 'moderations',
    model,
    estimate: () => ({ input: tokensOf(body.bytes.length), output: 0 }),
    async candidates() {
      input()
      return route(core, context, { model, family: 'moderations' })
    },
    plan: (candidate) => planFor(asked, candidate),
    bound: ({ candidate: { endpoint, model: own } }) =>
      boundOfModerations({ body, provider: endpoint.provider, model: own }),
    call: (plan, asking) => callCandidate(asked, plan, asking),
  })
}
