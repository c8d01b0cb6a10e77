import { effortOfBudget, nearestEffort } from '../../canonical/effort.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped } from '../../canonical/loss.ts'
import type { Effort, Reasoning } from '../../canonical/request.ts'
import type { Generation } from './models.ts'
import type { Writing } from './writing.ts'

/** Writes how much is thought, and tells which effort that is. */
export function writeEffort({ request, target, model, own, losses }: Writing, body: Json): Effort | undefined {
  const path = request.paths.reasoning
  if (request.reasoning?.show && !own) dropped(losses, `${path}.show`, 'whether reasoning is shown is up to the provider')
  const asked = request.reasoning && askedEffort(request.reasoning)
  if (!asked) return undefined
  const refused = target.limits?.reasoning === false
  const effort = own ? asked : refused ? undefined : knownEffort(asked, model)
  if (effort === undefined) {
    if (asked !== 'none' || !refused) dropped(losses, path, 'the model has no such setting')
    return undefined
  }
  if (effort !== asked || request.reasoning?.budget !== undefined) changed(losses, path, 'the nearest effort that the model knows')
  body['reasoning_effort'] = effort
  return effort
}

function askedEffort({ effort, budget, adaptive }: Reasoning): Effort | undefined {
  const asked = effort ?? (budget === undefined ? undefined : effortOfBudget(budget))
  return asked ?? (adaptive ? 'medium' : undefined)
}

/** The level nearest to the one that was asked, the higher of two; undefined where there is none, or none can be switched off. */
function knownEffort(asked: Effort, { efforts }: Generation): Effort | undefined {
  if (asked === 'none') return efforts.includes(asked) ? asked : undefined
  return nearestEffort(
    asked,
    efforts.filter((effort) => effort !== 'none'),
  )
}
