import type { Usage } from '@headgate/core/canonical'
import type { CostInput, UsageBound } from '../../cost/bound.ts'
import { tokensOf } from '../../cost/bound.ts'
import type { ParsedBody } from '../../edge/body.ts'
import { finishExchange } from '../../http/exchange.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { route } from '../../serve/route.ts'
import { upstreamAccessOf } from '../../serve/trace.ts'
import { serveUnary, type UnaryResponse } from '../../serve/unary.ts'
import { type CandidateCall, callSupport, upstreamCaller } from '../../serve/upstream-caller.ts'
import { type ModerationsCall, type ModerationsPlan, planFor } from './plan.ts'
import { checkedResults, type ModerationsInput, readModerations, resultCount, writeModerations } from './wire.ts'

/** Model of requests that name none, unless the alias `moderation` exists. */
const DEFAULT_MODEL = 'omni-moderation-latest'
const DEFAULT_ALIAS = 'moderation'
/** Output tokens of a chat model that classifies one content. */
const OUTPUT = 256

/** Worst-case usage: tokens, or classified contents for providers that count these. */
export function boundOfModerations({ body }: CostInput): UsageBound | undefined {
  if (!body) return undefined
  const contents = resultCount(body.json)
  return { input: body.bytes.length, output: contents * OUTPUT, perhaps: { moderations: contents } }
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
  const contents = input().inputs.length
  const bound = (): UsageBound | undefined => boundOfModerations({ body })
  if (plan.way === 'native') {
    const call = upstreamCaller(core, context, candidate, signal, accounts)
    const given = await call(bound, async (options) => {
      const access = upstreamAccessOf(core, context, name, provider)
      const response = await finishExchange(access, provider, plan.request, plan.read, options)
      return { ...response, usage: countedUsage(contents) }
    })
    return { bytes: given.bytes, given }
  }
  const given = await callSupport(asking, bound, plan, (answer) => ({
    results: checkedResults(answer, contents),
    usage: answer.usage ?? countedUsage(contents),
    model: answer.model ?? candidate.model,
  }))
  return { bytes: Buffer.from(JSON.stringify(writeModerations({ ...given, id: context.id }))), given }
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
    bound: () => boundOfModerations({ body }),
    call: (plan, asking) => callCandidate(asked, plan, asking),
  })
}
