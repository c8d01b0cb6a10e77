import { effortOfBudget, nearestEffort } from '../../canonical/effort.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped } from '../../canonical/loss.ts'
import type { Effort, Reasoning } from '../../canonical/request.ts'
import type { Generation } from './models.ts'
import type { Writing } from './writing.ts'

/** Writes how much is thought, and tells which effort that is. */
export function writeEffort(context: Writing, body: Json): Effort | undefined {
  const { request, own, losses } = context
  if (request.reasoning?.show && !own)
    dropped(losses, `${request.paths.reasoning}.show`, 'whether reasoning is shown is up to the provider')
  const effort = effortFor(context)
  if (effort !== undefined) body['reasoning_effort'] = effort
  return effort
}

/** The effort that the target's model is asked for. */
export function effortFor({ request, target, model, own, losses }: Writing): Effort | undefined {
  const path = request.paths.reasoning
  const asked = request.reasoning && askedEffort(request.reasoning)
  if (!asked) return undefined
  const refused = target.limits?.reasoning === false
  const effort = own ? asked : refused ? undefined : knownEffort(asked, model)
  if (effort === undefined) {
    if (asked !== 'none' || !refused) dropped(losses, path, 'the model has no such setting')
    return undefined
  }
  if (effort !== asked || request.reasoning?.budget !== undefined)
    changed(losses, path, 'the nearest effort that the model knows')
  return effort
}

function askedEffort({ effort, budget, adaptive }: Reasoning): Effort | undefined {
  const asked = effort ?? (budget === undefined ? undefined : effortOfBudget(budget))
  return asked ?? (adaptive ? 'medium' : undefined)
}

/**
 * The level nearest to the one that was asked, the higher of two; undefined where there is none, or none can be
 * switched off.
 */
function knownEffort(asked: Effort, { efforts }: Generation): Effort | undefined {
  if (asked === 'none') return efforts.includes(asked) ? asked : undefined
  return nearestEffort(
    asked,
    efforts.filter((effort) => effort !== 'none'),
  )
}
