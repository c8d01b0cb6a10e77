import { effortOfBudget, nearestEffort } from '../../canonical/effort.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped } from '../../canonical/loss.ts'
import type { Effort, Reasoning } from '../../canonical/request.ts'
import type { GptGeneration } from './models.ts'
import type { ChatWriteState } from './write-state.ts'

/** Writes the reasoning effort and returns it. */
export function writeEffort(context: ChatWriteState, body: Json): Effort | undefined {
  const { request, own, losses } = context
  if (request.reasoning?.show && !own)
    dropped(losses, `${request.paths.reasoning}.show`, 'the provider decides whether reasoning is shown')
  const effort = effortFor(context)
  if (effort !== undefined) body['reasoning_effort'] = effort
  return effort
}

/** Reasoning effort for the target's model. */
export function effortFor({ request, target, model, own, losses }: ChatWriteState): Effort | undefined {
  const path = request.paths.reasoning
  const requested = request.reasoning && requestedEffort(request.reasoning)
  if (!requested) return undefined
  const refused = target.limits?.reasoning === false
  const effort = own ? requested : refused ? undefined : knownEffort(requested, model)
  if (effort === undefined) {
    if (requested !== 'none' || !refused) dropped(losses, path, 'the model has no such setting')
    return undefined
  }
  if (effort !== requested || request.reasoning?.budget !== undefined)
    changed(losses, path, 'the nearest effort that the model supports')
  return effort
}

function requestedEffort({ effort, budget, adaptive }: Reasoning): Effort | undefined {
  const requested = effort ?? (budget === undefined ? undefined : effortOfBudget(budget))
  return requested ?? (adaptive ? 'medium' : undefined)
}

/**
 * Supported effort next to the requested one, rounded up. Undefined if the model has none, or cannot disable reasoning.
 */
function knownEffort(requested: Effort, { efforts }: GptGeneration): Effort | undefined {
  if (requested === 'none') return efforts.includes(requested) ? requested : undefined
  return nearestEffort(
    requested,
    efforts.filter((effort) => effort !== 'none'),
  )
}
