import type { Usage } from '@headgate/core/canonical'
import type { EmbeddingsRequest, Vector } from '@headgate/core/contract'
import { isNext } from '@headgate/core/contract'
import { finishExchange } from '../../http/exchange.ts'
import { unlessAborted } from '../../serve/abort.ts'
import { type Accounts, askerOf, type Given } from '../../serve/asker.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { wireOf } from '../../serve/trace.ts'
import type { WholeAnswer } from '../../serve/whole.ts'
import { boundOfEmbeddings, boundOfInputs } from './bound.ts'
import { type Ask, checked, type Plan } from './plan.ts'

/** Parts of a batch that are asked for at the same time. */
const PARALLEL = 4

/**
 * Runs over all parts, few at a time, in any order; gives what came of them in theirs. The first failure ends the rest,
 * and counts once all have ended: what they cost is known by then.
 */
async function inParallel<In, Out>(
  parts: readonly In[],
  abort: AbortController,
  run: (part: In) => Promise<Out>,
): Promise<Out[]> {
  const out: Out[] = []
  let at = 0
  let failure: { readonly error: unknown } | undefined
  const work = async (): Promise<void> => {
    while (at < parts.length && !failure) {
      const nth = at++
      try {
        out[nth] = await run(parts[nth] as In)
      } catch (error) {
        failure ??= { error }
        abort.abort(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, parts.length) }, work))
  if (failure) throw failure.error
  return out
}

function total(usages: readonly (Usage | undefined)[]): Usage | undefined {
  let input = 0
  for (const usage of usages) {
    if (!usage) return undefined
    input += usage.input
  }
  return { input, output: 0 }
}

interface Part extends Given {
  readonly vectors: readonly Vector[]
}

/** Asks a candidate. Rejects with HeadgateError. */
export async function askCandidate(
  core: Core,
  context: Context,
  ask: Ask,
  plan: Plan,
  stop: AbortSignal,
  accounts: Accounts,
): Promise<WholeAnswer> {
  const abort = new AbortController()
  const signal = AbortSignal.any([stop, abort.signal])
  const asker = askerOf(core, context, plan.candidate, signal, accounts)
  const { provider, name } = plan.candidate.instance
  const wire = wireOf(core, context, name, provider)
  if (plan.way === 'native') {
    const given = await asker(
      () => boundOfEmbeddings({ body: ask.body }),
      (options) => finishExchange(wire, provider, plan.request, plan.read, options),
    )
    return { bytes: given.bytes, given }
  }
  const partOf = (input: EmbeddingsRequest, answer: Parameters<typeof checked>[0]): Part => {
    const { vectors, usage, model } = checked(answer, input)
    return { vectors, usage, model }
  }
  const parts: Part[] =
    plan.way === 'local'
      ? await inParallel(plan.batches, abort, (input) =>
          asker(
            () => boundOfInputs(input.inputs),
            async () => partOf(input, await unlessAborted(plan.support.run(input, signal, plan.call), signal)),
            true,
          ),
        )
      : await inParallel(plan.batches, abort, ({ input, request }) =>
          asker(
            () => boundOfInputs(input.inputs),
            (options) =>
              finishExchange(
                wire,
                provider,
                request,
                (answer, earlier) => {
                  const out = plan.support.response(answer, input, earlier)
                  return isNext(out) ? out : partOf(input, out)
                },
                options,
              ),
          ),
        )
  const given = { usage: total(parts.map(({ usage }) => usage)), model: parts[0]?.model ?? plan.candidate.model }
  const body = ask.wire.write({ vectors: parts.flatMap(({ vectors }) => vectors), ...given }, ask.asked())
  return { bytes: Buffer.from(JSON.stringify(body)), given }
}
