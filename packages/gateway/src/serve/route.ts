import { HeadgateError, invalid } from '@headgate/core/errors'
import { headerOf } from '../edge/sink.ts'
import { type Candidate, candidates, pinned, type Wish } from '../routing/candidates.ts'
import type { Instance } from '../routing/catalog.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { instancesFor, mayUse, modelsOf, permitted } from './permission.ts'

/** Most characters of a model's name. */
const LONGEST_MODEL = 512

/** Refuses a model that the caller's key may not use, and what is too long to be one. */
export function checkModel(context: Context, model: string): void {
  if (model.length > LONGEST_MODEL)
    throw invalid('model', `The model's name is longer than ${LONGEST_MODEL} characters.`)
  const patterns = modelsOf(context.principal)
  if (mayUse(patterns, model)) return
  throw new HeadgateError(
    'forbidden',
    `This key may not use the model "${model.slice(0, 128)}". ${permitted(patterns)}`,
    {
      param: 'model',
    },
  )
}

interface Asked {
  readonly model: string
  /** Id of the family. */
  readonly family: string
}

/**
 * The candidates for a model of a family, in the order of preference: at least one. @throws HeadgateError that says why
 * there are none.
 */
export function route(core: Core, context: Context, { model, family }: Asked): Candidate[] | Promise<Candidate[]> {
  const wish = { model, vendor: headerOf(context.incoming, 'vendor'), family: core.served(family) }
  const instances = instancesFor(context.principal, core.instances)
  if (instances !== core.instances) checkPin(core, context, instances, wish)
  const find = (): Candidate[] => candidates(instances, core.aliases, wish)
  const found = find()
  if (found.length > 0) return able(found, wish)
  return core.lists.onMiss().then(() => {
    const late = find()
    if (late.length > 0) return able(late, wish)
    throw missing(core, context, instances, wish)
  })
}

/** Refuses the provider that the caller asks for by name, and may not use. */
function checkPin(core: Core, { principal }: Context, instances: readonly Instance[], { vendor }: Wish): void {
  const pin = pinned(core.instances, vendor)
  if (!pin || instances.includes(pin)) return
  throw new HeadgateError(
    'forbidden',
    `This key may not use the provider ${pin.name}. ${permitted(principal.providers)}`,
    {
      param: 'vendor',
    },
  )
}

/** Those of the candidates that serve the family. @throws HeadgateError `unknown-model` where none does. */
function able(found: Candidate[], { model, family: { id: family } }: Wish): Candidate[] {
  const able = found.filter(({ facts }) => facts?.families?.includes(family) !== false)
  if (able.length > 0) return able
  const serves = found[0]?.facts?.families?.join(', ')
  throw unknown(
    `The model "${model.slice(0, 128)}" is one of ${serves}, not of ${family}. GET /v1/models lists what can be called.`,
  )
}

function holdersOf(found: readonly Candidate[]): string {
  return [...new Set(found.map(({ instance }) => instance.name))].join(', ')
}

/** Why nobody serves a model to a caller. */
function missing(core: Core, { principal }: Context, instances: readonly Instance[], wish: Wish): HeadgateError {
  const model = wish.model.slice(0, 128)
  const family = wish.family.id
  const others = instances === core.instances ? [] : candidates(core.instances, core.aliases, wish)
  if (others.length > 0) {
    const whose = `the model "${model}" is one of ${holdersOf(others)}`
    return new HeadgateError(
      'forbidden',
      `This key may not use what it asks for: ${whose}. ${permitted(principal.providers)}`,
      {
        param: 'model',
      },
    )
  }
  const elsewhere = candidates(instances, core.aliases, { ...wish, family: core.served() })
  if (elsewhere.length > 0)
    return unknown(
      `The model "${model}" is one of ${holdersOf(elsewhere)}, which does not serve ${family}. GET /v1/models lists what can be called.`,
    )
  const serving = instances.filter(({ provider }) => wish.family.has(provider)).map(({ name }) => name)
  const advice =
    serving.length > 0
      ? `"<provider>/<model>" asks one of: ${serving.join(', ')}`
      : `no provider that is enabled serves ${family}`
  return unknown(
    `No provider is known to have the model "${model}". GET /v1/models lists what can be called; ${advice}.`,
  )
}

function unknown(message: string): HeadgateError {
  return new HeadgateError('unknown-model', message, { param: 'model' })
}
