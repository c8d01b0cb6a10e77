import { headerOf } from '../edge/sink.ts'
import { HeadgateError, invalid } from '../errors.ts'
import { type Candidate, candidates, type Wish } from '../routing/candidates.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { mayUse, modelsOf, permitted } from './permission.ts'

/** Most characters of a model's name. */
const LONGEST_MODEL = 512

/** Refuses a model that the caller's key may not use, and what is too long to be one. */
export function checkModel(context: Context, model: string): void {
  if (model.length > LONGEST_MODEL) throw invalid('model', `The model's name is longer than ${LONGEST_MODEL} characters.`)
  const patterns = modelsOf(context.principal)
  if (mayUse(patterns, model)) return
  throw new HeadgateError('forbidden', `This key may not use the model "${model.slice(0, 128)}". ${permitted(patterns)}`, {
    param: 'model',
  })
}

interface Asked {
  readonly model: string
  /** Id of the family. */
  readonly family: string
}

/** The candidates for a model of a family, in the order of preference: at least one. */
export function route(core: Core, context: Context, { model, family }: Asked): Candidate[] | Promise<Candidate[]> {
  const wish = { model, vendor: headerOf(context.incoming, 'vendor'), family: core.served(family) }
  const find = (): Candidate[] => candidates(core.instances, core.aliases, wish)
  const found = find()
  return found.length > 0 ? able(core, wish, found) : core.lists.onMiss().then(() => able(core, wish, find()))
}

/** Those of the candidates that serve the family. @throws HeadgateError `unknown-model` that says why there are none. */
function able(core: Core, wish: Wish, found: Candidate[]): Candidate[] {
  const { model } = wish
  const family = wish.family.id
  if (found.length > 0) {
    const able = found.filter(({ facts }) => facts?.families?.includes(family) !== false)
    if (able.length > 0) return able
    const serves = found[0]?.facts?.families?.join(', ')
    throw new HeadgateError(
      'unknown-model',
      `The model "${model.slice(0, 128)}" is one of ${serves}, not of ${family}. GET /v1/models lists what can be called.`,
      {
        param: 'model',
      },
    )
  }
  const elsewhere = candidates(core.instances, core.aliases, { ...wish, family: core.served() })
  if (elsewhere.length > 0) {
    const holders = [...new Set(elsewhere.map(({ instance }) => instance.name))].join(', ')
    throw new HeadgateError(
      'unknown-model',
      `The model "${model.slice(0, 128)}" is one of ${holders}, which does not serve ${family}. GET /v1/models lists what can be called.`,
      { param: 'model' },
    )
  }
  const serving = core.instances.filter(({ provider }) => wish.family.has(provider)).map(({ name }) => name)
  const advice =
    serving.length > 0 ? `"<provider>/<model>" asks one of: ${serving.join(', ')}` : `no provider that is enabled serves ${family}`
  throw new HeadgateError(
    'unknown-model',
    `No provider is known to have the model "${model.slice(0, 128)}". GET /v1/models lists what can be called; ${advice}.`,
    { param: 'model' },
  )
}
