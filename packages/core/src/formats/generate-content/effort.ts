import { effortOfBudget, nearestEffort } from '../../canonical/effort.ts'
import { bothGiven, unknownWord } from '../../canonical/fields.ts'
import { isObject, type Json } from '../../canonical/json.ts'
import { changed, dropped } from '../../canonical/loss.ts'
import type { ChatRequest, Effort, Reasoning } from '../../canonical/request.ts'
import { isOwn } from '../../canonical/side.ts'
import type { Level, Thinking } from './models.ts'
import { ID } from './wire.ts'
import type { Writing } from './writing.ts'

/** Levels of thinking as efforts. */
type LevelEffort = Lowercase<Level>
const LEVELS: ReadonlyMap<string, LevelEffort> = new Map([
  ['MINIMAL', 'minimal'],
  ['LOW', 'low'],
  ['MEDIUM', 'medium'],
  ['HIGH', 'high'],
])

/** How much the caller wants the model to think. */
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

/** The thinking config, in the terms of the model's generation. */
export function writeEffort(context: Writing): Json | undefined {
  const { request, losses } = context
  const { reasoning, paths } = request
  const { thinking } = context.model
  if (!reasoning) return undefined
  if (thinking.by === 'nothing') {
    if (reasoning.effort !== 'none') dropped(losses, paths.reasoning, 'the model does not think, or not by request')
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

/** Other formats show what the model thinks unless they are told not to, and this one only if it is asked to. */
function awaitsThoughts(request: ChatRequest): boolean {
  const { effort, budget, adaptive } = request.reasoning ?? {}
  return !isOwn(request, ID) && effort !== 'none' && (effort !== undefined || budget !== undefined || adaptive === true)
}

/** Tokens that stand for an effort; what lies outside of the model's range is moved into it. */
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
  { request, losses }: Writing,
  reasoning: Reasoning,
  range: Extract<Thinking, { by: 'budget' }>,
): Json {
  const { effort, budget, adaptive } = reasoning
  const path = request.paths.reasoning
  const asked = budget ?? (effort === undefined ? undefined : BUDGETS[effort])
  if (asked === undefined) return adaptive ? { thinkingBudget: -1 } : {}
  if (asked === -1 || (asked === 0 && range.off)) return { thinkingBudget: asked }
  const thinkingBudget = Math.min(Math.max(asked, range.min), range.max)
  if (effort === 'none') changed(losses, path, 'the model can not stop thinking')
  else if (budget !== undefined && thinkingBudget !== budget)
    changed(losses, path, `the model thinks ${range.min} to ${range.max} tokens`)
  return { thinkingBudget }
}

/**
 * The lowest level hardly thinks, and 1024 tokens are the least that callers of other formats can ask for, who want
 * thoughts.
 */
const LEAST = 1023

function writeLevel({ request, losses }: Writing, { effort: wish, budget }: Reasoning, levels: readonly Level[]): Json {
  const path = request.paths.reasoning
  if (budget !== undefined && budget !== -1)
    changed(losses, path, 'the model takes a level of thinking in place of a budget')
  const asked = budget === undefined ? wish : effortOfBudget(budget, LEAST)
  if (asked === undefined) return {}
  const known = levels.map((level) => level.toLowerCase() as LevelEffort)
  const effort = nearestEffort(asked, known) ?? 'high'
  if (budget === undefined && effort !== asked)
    changed(losses, path, asked === 'none' ? 'the model can not stop thinking' : `the model thinks ${known.join(', ')}`)
  return { thinkingLevel: effort.toUpperCase() }
}
