import { tokensOf } from '../../cost/bound.ts'
import { callCostOf } from '../../cost/spending/spending.ts'
import { type ParsedBody, requireString } from '../../edge/body.ts'
import { type Candidate, subjectOf } from '../../routing/candidates.ts'
import { attemptRemote } from '../../serve/attempt.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { route } from '../../serve/route.ts'
import { PROVIDERS, serve } from '../../serve/serve.ts'
import { boundOfSpeech } from './bound.ts'
import { speechConsumer } from './consumer.ts'
import { planFor, type SpeechCall, type SpeechPlan } from './plan.ts'
import { factsOf } from './settle.ts'
import { readSpeech, type SpeechInput } from './wire.ts'

/** Serves one request for speech. @throws HeadgateError for the caller. */
export async function serveSpeech(core: Core, context: Context, body: ParsedBody): Promise<void> {
  const model = requireString(body.json, 'model')
  let read: SpeechInput | undefined
  const input = (): SpeechInput => {
    read ??= readSpeech(body.json)
    return read
  }
  const asked: SpeechCall = { body, model, input, voices: core.voices }
  const boundOf = ({ candidate: { endpoint, model: own, facts } }: SpeechPlan) =>
    boundOfSpeech({ body, provider: endpoint.provider, model: own, facts })
  return serve<Candidate, SpeechPlan>(core, context, {
    family: 'speech',
    format: 'speech',
    model,
    targets: PROVIDERS,
    estimate: () => ({ input: tokensOf(body.bytes.length), output: 0 }),
    open() {
      const { isSse } = input()
      return {
        candidates: route(core, context, { model, family: 'speech' }),
        plan: (candidate) => planFor(asked, candidate),
        wayOf: ({ isBypass }) => (isBypass ? 'bytes' : 'translated'),
        bound: boundOf,
        async reserve(plan, spending) {
          const price = core.priceOf(plan.candidate, context.startedAt)
          await spending.reserve(callCostOf(subjectOf(plan.candidate), price, boundOf(plan)))
          return plan
        },
        isStream: isSse,
        call: (plan) =>
          attemptRemote(core, context, plan.candidate, plan.outgoing, (attempt) =>
            speechConsumer(core, context, asked, plan, attempt),
          ),
        facts: (plan) => ({ ...factsOf(plan), usage: undefined, estimated: undefined, servedFrom: undefined }),
      }
    },
  })
}
