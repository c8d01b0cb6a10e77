import { headerOf } from '../edge/sink.ts'
import { HeadgateError } from '../errors.ts'
import { type Candidate, candidates } from '../routing/candidates.ts'
import type { Core } from './core.ts'
import type { Visit } from './visit.ts'

/** Whether patterns of models, in which `*` stands for any text, allow one. Without patterns all are. */
export function mayUse(patterns: readonly string[] | undefined, model: string): boolean {
  if (!patterns) return true
  return patterns.some((pattern) => {
    if (!pattern.includes('*')) return pattern === model
    const source = pattern.split('*').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return new RegExp(`^${source.join('.*')}$`).test(model)
  })
}

/** Refuses a model that the caller's key may not use. */
export function checkModel(visit: Visit, model: string): void {
  const { models } = visit.principal
  if (mayUse(models, model)) return
  throw new HeadgateError('forbidden', `This key may not use the model "${model.slice(0, 128)}". It may use: ${models?.join(', ')}.`, {
    param: 'model',
  })
}

/** The candidates for a chat model, in the order of preference: at least one. */
export async function route(core: Core, visit: Visit, model: string): Promise<Candidate[]> {
  const wish = { model, vendor: headerOf(visit.incoming, 'vendor'), family: 'chat' as const }
  let found = candidates(core.instances, core.aliases, wish)
  if (found.length === 0) {
    await core.lists.onMiss()
    found = candidates(core.instances, core.aliases, wish)
  }
  if (found.length > 0) return found
  const names = core.instances.map((instance) => instance.name).join(', ')
  throw new HeadgateError(
    'unknown-model',
    `No provider is known to have the model "${model.slice(0, 128)}". GET /v1/models lists what can be called; "<provider>/<model>" asks one of: ${names}.`,
    { param: 'model' },
  )
}
