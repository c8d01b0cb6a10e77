import { type Body, requireText } from '../../edge/body.ts'
import type { Context } from '../../pipeline/context.ts'
import type { Core } from '../../pipeline/core.ts'
import { takePlace, tokensOf } from '../../pipeline/rates.ts'
import { checkModel, route } from '../../pipeline/route.ts'
import { serveWhole } from '../../pipeline/whole.ts'
import type { Asked, Wire } from './asked.ts'
import { boundOfEmbeddings } from './bound.ts'
import { askCandidate } from './call.ts'
import { type Ask, type Plan, planFor } from './plan.ts'
import { sameModel } from './same-model.ts'

function createAsk(wire: Wire, body: Body, model: string): Ask {
  let read: Asked | undefined
  return {
    wire,
    body,
    model,
    asked() {
      read ??= wire.read(body.json)
      return read
    },
  }
}

/** Serves one request for vectors. Throws HeadgateError for what the caller must be told. */
export async function serveEmbeddings(
  core: Core,
  context: Context,
  body: Body,
  wire: Wire,
  named: string | undefined,
): Promise<void> {
  const model = named ?? requireText(body.json, 'model')
  checkModel(context, model)
  const taking = takePlace(core, context, {
    model,
    estimate: () => ({ input: tokensOf(body.bytes.length), output: 0 }),
  })
  if (taking) await taking
  const ask = createAsk(wire, body, model)
  return serveWhole<Plan>(core, context, {
    family: 'embeddings',
    format: wire.id,
    model,
    candidates: sameModel(await route(core, context, { model, family: 'embeddings' })),
    planOf: (candidate) => planFor(ask, candidate),
    boundOf: ({ facts }) => boundOfEmbeddings({ body, facts }),
    ask: (plan, signal, accounts) => askCandidate(core, context, ask, plan, signal, accounts),
  })
}
