import { HeadgateError, invalid } from '@headgate/core/errors'
import { headerOf } from '../edge/sink.ts'
import type { RoutingPolicy } from '../ports/routing.ts'
import { aliasOf, type Candidate, candidates, type ModelQuery, pinned } from '../routing/candidates.ts'
import type { ConfiguredInstance } from '../routing/catalog.ts'
import type { Context } from './context.ts'
import type { Core } from './core.ts'
import { instancesFor, mayUse, modelsOf, permitted } from './permission.ts'
import { routingOf, withinRouting } from './routing.ts'
import { type RoutingFields, splitSuffix } from './routing-request.ts'

/** Maximum length of a model's name in characters. */
const MAX_MODEL_LENGTH = 512

/** Rejects a model that the caller's key does not allow, and a name that is too long. */
export function checkModel(context: Context, model: string): void {
  if (model.length > MAX_MODEL_LENGTH)
    throw invalid('model', `The model's name is longer than ${MAX_MODEL_LENGTH} characters.`)
  const patterns = modelsOf(context.principal)
  if (mayUse(patterns, model)) return
  throw new HeadgateError(
    'forbidden',
    `This key cannot use the model "${model.slice(0, 128)}". ${permitted(patterns)}`,
    {
      param: 'model',
    },
  )
}

interface ModelRequest {
  readonly model: string
  /** Routing fields of the body; absent = none. */
  readonly fields?: RoutingFields | undefined
  /** Id of the family. */
  readonly family: string
}

/**
 * Candidates for a model of a family in order of preference, at least one.
 * @throws HeadgateError with the reason if no candidate exists
 */
export function route(
  core: Core,
  context: Context,
  { model, family, fields }: ModelRequest,
): Candidate[] | Promise<Candidate[]> {
  const query = { model, vendor: headerOf(context.incoming, 'vendor'), family: core.served(family) }
  const instances = instancesFor(context.principal, core.instances)
  if (instances !== core.instances) checkPin(core, context, instances, query)
  const find = (wanted: ModelQuery): Candidate[] => candidates(instances, core.aliases, wanted, core.sameModels)
  /** Candidates of the model, then of the fallbacks that the body names. */
  const complete = (found: Candidate[], wanted: ModelQuery, suffix?: RoutingPolicy): Candidate[] => {
    const routing = routingOf(core, context, { model: wanted.model, fields, suffix })
    const alias = aliasOf(core.aliases, wanted.model)
    context.firstByteMs = alias?.firstByteMs
    context.hedge = alias?.hedge
    const all = able(found, wanted)
    for (const other of routing?.models ?? []) {
      checkModel(context, other)
      addLater(all, find({ ...wanted, model: other }))
    }
    return withinRouting(core, context, routing, all)
  }
  const found = find(query)
  if (found.length > 0) return complete(found, query)
  const { model: bare, policy: suffix } = splitSuffix(model)
  const stripped = { ...query, model: bare }
  const other = suffix === undefined ? [] : find(stripped)
  if (other.length > 0) {
    checkModel(context, bare)
    return complete(other, stripped, suffix)
  }
  return core.lists.onMiss().then(() => {
    const late = find(query)
    if (late.length > 0) return complete(late, query)
    throw missing(core, context, instances, query)
  })
}

/** Adds the candidates of another model, which are tried after all others. */
function addLater(all: Candidate[], more: readonly Candidate[]): void {
  const last = all.at(-1)
  const [tier, stage] = last ? [last.tier + 1, last.stage + 1] : [0, 0]
  for (const candidate of more) {
    const isKnown = all.some(({ endpoint, model }) => endpoint === candidate.endpoint && model === candidate.model)
    if (!isKnown) all.push({ ...candidate, tier: tier + candidate.tier, stage: stage + candidate.stage })
  }
}

/** Rejects a provider that the caller names and its key does not allow. */
function checkPin(
  core: Core,
  { principal }: Context,
  instances: readonly ConfiguredInstance[],
  { vendor }: ModelQuery,
): void {
  const pin = pinned(core.instances, vendor)
  if (!pin || instances.includes(pin)) return
  throw new HeadgateError(
    'forbidden',
    `This key cannot use the provider ${pin.name}. ${permitted(principal.providers)}`,
    {
      param: 'vendor',
    },
  )
}

/**
 * Candidates that serve the family.
 * @throws HeadgateError `unknown-model` if none of them does
 */
function able(found: Candidate[], { model, family: { id: family } }: ModelQuery): Candidate[] {
  const able = found.filter(({ facts }) => facts?.families?.includes(family) !== false)
  if (able.length > 0) return able
  const serves = found[0]?.facts?.families?.join(', ')
  throw unknown(
    `The model "${model.slice(0, 128)}" supports ${serves}, not ${family}. GET /v1/models lists the available models.`,
  )
}

function providersOf(found: readonly Candidate[]): string {
  return [...new Set(found.map(({ instance }) => instance.name))].join(', ')
}

/** Error for a model that no provider can serve to this caller. */
function missing(
  core: Core,
  { principal }: Context,
  instances: readonly ConfiguredInstance[],
  query: ModelQuery,
): HeadgateError {
  const model = query.model.slice(0, 128)
  const family = query.family.id
  const others = instances === core.instances ? [] : candidates(core.instances, core.aliases, query, core.sameModels)
  if (others.length > 0) {
    const served = `the model "${model}" is served by ${providersOf(others)}`
    return new HeadgateError(
      'forbidden',
      `This key cannot use the required provider: ${served}. ${permitted(principal.providers)}`,
      {
        param: 'model',
      },
    )
  }
  const elsewhere = candidates(instances, core.aliases, { ...query, family: core.served() })
  if (elsewhere.length > 0)
    return unknown(
      `The model "${model}" is served by ${providersOf(elsewhere)}, which does not support ${family}. GET /v1/models lists the available models.`,
    )
  const serving = instances.filter(({ provider }) => query.family.has(provider)).map(({ name }) => name)
  const advice =
    serving.length > 0
      ? `"<provider>/<model>" selects one of these providers: ${serving.join(', ')}`
      : `no enabled provider supports ${family}`
  return unknown(`No provider lists the model "${model}". GET /v1/models lists the available models; ${advice}.`)
}

function unknown(message: string): HeadgateError {
  return new HeadgateError('unknown-model', message, { param: 'model' })
}
