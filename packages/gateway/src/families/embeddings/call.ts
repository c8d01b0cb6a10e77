import type { Usage } from '@headgate/core/canonical'
import type { Vector } from '@headgate/core/contract'
import { finishExchange } from '../../http/exchange.ts'
import { inParallel } from '../../serve/in-parallel.ts'
import { upstreamAccessOf } from '../../serve/trace.ts'
import type { UnaryResponse } from '../../serve/unary.ts'
import { type CallResult, type CandidateCall, callSupport, upstreamCaller } from '../../serve/upstream-caller.ts'
import { boundOfEmbeddings, boundOfInputs } from './bound.ts'
import { checked, type EmbeddingsCall, type EmbeddingsPlan } from './plan.ts'

function total(usages: readonly (Usage | undefined)[]): Usage | undefined {
  let input = 0
  for (const usage of usages) {
    if (!usage) return undefined
    input += usage.input
  }
  return { input, output: 0 }
}

interface BatchResult extends CallResult {
  readonly vectors: readonly Vector[]
}

/** Calls a candidate. @throws HeadgateError */
export async function callCandidate(
  ask: EmbeddingsCall,
  plan: EmbeddingsPlan,
  whole: CandidateCall,
): Promise<UnaryResponse> {
  const abort = new AbortController()
  const asking: CandidateCall = { ...whole, signal: AbortSignal.any([whole.signal, abort.signal]) }
  const { core, context, candidate, signal, accounts } = asking
  const { name } = candidate.instance
  const { provider } = candidate.endpoint
  if (plan.way === 'native') {
    const given = await upstreamCaller(
      core,
      context,
      candidate,
      signal,
      accounts,
    )(
      () => boundOfEmbeddings({ body: ask.body }),
      (options) =>
        finishExchange(upstreamAccessOf(core, context, name, provider), provider, plan.request, plan.read, options),
    )
    return { bytes: given.bytes, given }
  }
  const parts = await inParallel(plan.batches, abort, (batch) =>
    callSupport(
      asking,
      () => boundOfInputs(batch.input.inputs),
      { support: plan.support, call: plan.call, ...batch },
      (answer): BatchResult => {
        const { vectors, usage, model } = checked(answer, batch.input)
        return { vectors, usage, model }
      },
    ),
  )
  const given = { usage: total(parts.map(({ usage }) => usage)), model: parts[0]?.model ?? candidate.model }
  const body = ask.wire.write({ vectors: parts.flatMap(({ vectors }) => vectors), ...given }, ask.input())
  return { bytes: Buffer.from(JSON.stringify(body)), given }
}
