import { effortOfBudget } from '../../canonical/effort.ts'
import type { Json } from '../../canonical/json.ts'
import { changed, dropped } from '../../canonical/loss.ts'
import type { Effort, Reasoning } from '../../canonical/request.ts'
import type { ClaudeGeneration } from './models.ts'
import type { MessagesWriteState } from './write-state.ts'

/** Minimum budget of the vendor, in tokens. */
const LEAST = 1024

/** Budgets for efforts, in tokens. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_000,
  max: 32_000,
}

/** Fields of the request for reasoning. */
export interface WrittenEffort {
  readonly thinking?: Json
  readonly effort?: string
}

/**
 * Reasoning settings for the model's generation.
 * @param blocked reason why this request cannot use thinking, if any
 * @param most maximum tokens of the response, including thinking
 * @see https://platform.claude.com/docs/en/build-with-claude/thinking
 */
export function writeEffort(context: MessagesWriteState, most: number, blocked: string | undefined): WrittenEffort {
  const { request, target, model, losses } = context
  const settings = request.reasoning
  const path = request.paths.reasoning ?? 'thinking'
  if (!settings || isEmpty(settings)) return {}
  const unable = model.thinking === 'none' || target.limits?.reasoning === false
  if (settings.effort === 'none' || settings.budget === 0) return unable ? {} : off(context, path)
  if (unable) {
    dropped(losses, path, 'the model does not support thinking')
    return {}
  }
  if (blocked !== undefined) {
    dropped(losses, path, blocked)
    return model.off === 'never' || model.off === 'between-tools' ? {} : { thinking: { type: 'disabled' } }
  }
  const budget = settings.budget !== undefined && settings.budget > 0 ? settings.budget : undefined
  if (model.thinking === 'budget' || (model.thinking === 'both' && budget !== undefined))
    return budgeted(context, settings, budget, most, path)
  return adaptive(context, settings, budget, path)
}

function isEmpty(settings: Reasoning): boolean {
  return settings.effort === undefined && settings.budget === undefined && !settings.adaptive && !settings.show
}

/** Disables thinking explicitly, since some models think by default. */
function off({ model, losses }: MessagesWriteState, path: string): WrittenEffort {
  if (model.off === 'disabled' || model.off === 'disabled-up-to-high') return { thinking: { type: 'disabled' } }
  changed(losses, path, 'thinking of the model cannot be disabled, so it is minimized')
  return model.off === 'between-tools' ? { thinking: { type: 'between_tools' } } : { effort: 'low' }
}

function adaptive(
  { model, losses }: MessagesWriteState,
  settings: Reasoning,
  budget: number | undefined,
  path: string,
): WrittenEffort {
  const wanted = settings.effort ?? (budget === undefined ? undefined : effortOfBudget(budget))
  const effort = wanted && effortWord(wanted, model)
  if (budget !== undefined) changed(losses, path, 'the model supports an effort instead of a budget')
  else if (effort !== wanted) changed(losses, path, 'the nearest effort that the model supports')
  // Newer models show reasoning only on request. Callers that use adaptive thinking know this.
  const show = settings.show ?? (settings.adaptive ? undefined : true)
  const display = show === undefined ? undefined : { display: show ? 'summarized' : 'omitted' }
  return { thinking: { type: 'adaptive', ...display }, ...(effort !== undefined && { effort }) }
}

function effortWord(effort: Effort, model: ClaudeGeneration): Effort {
  if (effort === 'minimal') return 'low'
  return effort === 'xhigh' && !model.xhigh ? 'max' : effort
}

/**
 * Thinking with a budget, which must be smaller than the response. A budget for an effort leaves a quarter of the
 * response to the text.
 */
function budgeted(
  { losses }: MessagesWriteState,
  settings: Reasoning,
  budget: number | undefined,
  most: number,
  path: string,
): WrittenEffort {
  if (most <= LEAST) {
    dropped(losses, path, 'the response is too short for the minimum thinking budget')
    return {}
  }
  const room = budget === undefined ? Math.floor((most * 3) / 4) : most - 1
  const tokens = Math.max(LEAST, Math.min(budget ?? BUDGETS[settings.effort ?? 'medium'], room))
  if (budget !== undefined && tokens !== budget)
    changed(losses, path, 'the budget must be at least 1024 and less than max_tokens')
  return {
    thinking: { type: 'enabled', budget_tokens: tokens, ...(settings.show === false && { display: 'omitted' }) },
  }
}
