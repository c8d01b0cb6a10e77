import { tokensOf } from '../../cost/bound.ts'
import { type ParsedBody, requireString } from '../../edge/body.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { route } from '../../serve/route.ts'
import { serveUnary } from '../../serve/unary.ts'
import { boundOfEmbeddings } from './bound.ts'
import { callCandidate } from './call.ts'
import type { EmbeddingsCodec, EmbeddingsInput } from './codec.ts'
import { type EmbeddingsCall, type EmbeddingsPlan, planFor } from './plan.ts'
import { sameModel } from './same-model.ts'

/** Serves one embeddings request. @throws HeadgateError for the caller. */
export async function serveEmbeddings(
  core: Core,
  context: Context,
  body: ParsedBody,
  wire: EmbeddingsCodec,
  named: string | undefined,
): Promise<void> {
  const model = named ?? requireString(body.json, 'model')
  let read: EmbeddingsInput | undefined
  const asked = (): EmbeddingsInput => {
    read ??= wire.read(body.json)
    return read
  }
  const ask: EmbeddingsCall = { wire, body, model, input: asked }
  return serveUnary<EmbeddingsPlan>(core, context, {
    family: 'embeddings',
    format: wire.id,
    model,
    estimate: () => ({ input: tokensOf(body.bytes.length), output: 0 }),
    candidates: async () => sameModel(await route(core, context, { model, family: 'embeddings' })),
    plan: (candidate) => planFor(ask, candidate),
    bound: ({ candidate: { facts } }) => boundOfEmbeddings({ body, facts }),
    call: (plan, asking) => callCandidate(ask, plan, asking),
  })
}
