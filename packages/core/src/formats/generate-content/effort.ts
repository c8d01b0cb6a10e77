import { effortOfBudget, nearestEffort } from '../../canonical/effort.ts'
import { bothGiven, unknownWord } from '../../canonical/fields.ts'
import { isObject, type Json } from '../../canonical/json.ts'
import { changed, dropped } from '../../canonical/loss.ts'
import type { ChatRequest, Effort, Reasoning } from '../../canonical/request.ts'
import { isOwn } from '../../canonical/vendor-extensions.ts'
import type { Level, Thinking } from './models.ts'
import { ID } from './wire.ts'
import type { ContentWriteState } from './write-state.ts'

/** Thinking levels as efforts. */
type LevelEffort = Lowercase<Level>
const LEVELS: ReadonlyMap<string, LevelEffort> = new Map([
  ['MINIMAL', 'minimal'],
  ['LOW', 'low'],
  ['MEDIUM', 'medium'],
  ['HIGH', 'high'],
])

/** Reads the reasoning settings. */
export function readEffort(config: unknown, at: string): Reasoning | undefined {
  if (!isObject(config)) return undefined
  const { includeThoughts, thinkingBudget, thinkingLevel } = config
  const reasoning: Reasoning = {}
  if (typeof includeThoughts === 'boolean') reasoning.show = includeThoughts
  if (thinkingBudget === 0) reasoning.effort = 'none'
  else if (typeof thinkingBudget === 'number') reasoning.budget = thinkingBudget
  if (typeof thinkingLevel === 'string' && thinkingLevel !== 'THINKING_LEVEL_UNSPECIFIED') {
    const effort = LEVELS.get(thinkingLevel.toUpperCase())
    if (!effort) throw unknownWord(`${at}.thinkingLevel`, thinkingLevel, [...LEVELS.keys()])
    if (thinkingBudget !== undefined) throw bothGiven(at, 'thinkingBudget', 'thinkingLevel')
    reasoning.effort = effort
  }
  return reasoning
}

/** Thinking configuration for the generation of the model. */
export function writeEffort(context: ContentWriteState): Json | undefined {
  const { request, losses } = context
  const { reasoning, paths } = request
  const { thinking } = context.model
  if (!reasoning) return undefined
  if (thinking.by === 'nothing') {
    if (reasoning.effort !== 'none') dropped(losses, paths.reasoning, 'the model does not support thinking settings')
    return undefined
  }
  const amount =
    thinking.by === 'budget'
      ? writeBudget(context, reasoning, thinking)
      : writeLevel(context, reasoning, thinking.levels)
  const off = amount['thinkingBudget'] === 0
  const show = reasoning.show ?? (awaitsThoughts(request) ? true : undefined)
  const out: Json = { ...amount, ...(show !== undefined && !off && { includeThoughts: show }) }
  return Object.keys(out).length > 0 ? out : undefined
}

/** True if the caller's format shows reasoning by default, since this format shows it only on request. */
function awaitsThoughts(request: ChatRequest): boolean {
  const { effort, budget, adaptive } = request.reasoning ?? {}
  return !isOwn(request, ID) && effort !== 'none' && (effort !== undefined || budget !== undefined || adaptive === true)
}

/** Reasoning tokens for each effort. Values outside of the model's range are adjusted. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 512,
  low: 2048,
  medium: 8192,
  high: 32_768,
  xhigh: 32_768,
  max: 32_768,
}

function writeBudget(
  { request, losses }: ContentWriteState,
  reasoning: Reasoning,
  range: Extract<Thinking, { by: 'budget' }>,
): Json {
  const { effort, budget, adaptive } = reasoning
  const path = request.paths.reasoning
  const requested = budget ?? (effort === undefined ? undefined : BUDGETS[effort])
  if (requested === undefined) return adaptive ? { thinkingBudget: -1 } : {}
  if (requested === -1 || (requested === 0 && range.off)) return { thinkingBudget: requested }
  const thinkingBudget = Math.min(Math.max(requested, range.min), range.max)
  if (effort === 'none') changed(losses, path, 'thinking of the model cannot be disabled')
  else if (budget !== undefined && thinkingBudget !== budget)
    changed(losses, path, `the model supports ${range.min} to ${range.max} thinking tokens`)
  return { thinkingBudget }
}

/**
 * Maximum budget for the lowest level, which hardly thinks. Callers of other formats who request reasoning have a
 * budget of at least 1024 tokens.
 */
const LEAST = 1023

function writeLevel(
  { request, losses }: ContentWriteState,
  { effort: level, budget }: Reasoning,
  levels: readonly Level[],
): Json {
  const path = request.paths.reasoning
  if (budget !== undefined && budget !== -1)
    changed(losses, path, 'the model supports thinking levels instead of a budget')
  const requested = budget === undefined ? level : effortOfBudget(budget, LEAST)
  if (requested === undefined) return {}
  const known = levels.map((level) => level.toLowerCase() as LevelEffort)
  const effort = nearestEffort(requested, known) ?? 'high'
  if (budget === undefined && effort !== requested)
    changed(
      losses,
      path,
      requested === 'none' ? 'thinking of the model cannot be disabled' : `the model supports ${known.join(', ')}`,
    )
  return { thinkingLevel: effort.toUpperCase() }
}
