import { isObject, type Json } from '../../chat/json.ts'
import { changed, dropped, type Loss } from '../../chat/loss.ts'
import { type ChatRequest, EFFORTS, type Effort, type Reasoning } from '../../chat/request.ts'
import { invalid } from '../../errors.ts'
import type { Level, Thinking } from './models.ts'

const LEVELS: Readonly<Record<string, Effort>> = { MINIMAL: 'minimal', LOW: 'low', MEDIUM: 'medium', HIGH: 'high' }

/** How much the caller wants the model to think. */
export function readThinking(config: unknown, at: string): Reasoning | undefined {
  if (!isObject(config)) return undefined
  const { includeThoughts, thinkingBudget, thinkingLevel } = config
  const reasoning: Reasoning = {}
  if (typeof includeThoughts === 'boolean') reasoning.show = includeThoughts
  if (thinkingBudget === 0) reasoning.effort = 'none'
  else if (typeof thinkingBudget === 'number') reasoning.budget = thinkingBudget
  if (typeof thinkingLevel === 'string' && thinkingLevel !== 'THINKING_LEVEL_UNSPECIFIED') {
    const effort = LEVELS[thinkingLevel.toUpperCase()]
    if (!effort)
      throw invalid(
        `${at}.thinkingLevel`,
        `${at}.thinkingLevel is "${thinkingLevel}". It must be one of ${Object.keys(LEVELS).join(', ')}.`,
      )
    if (thinkingBudget !== undefined)
      throw invalid(`${at}.thinkingLevel`, `${at} has both thinkingLevel and thinkingBudget. Send one of them.`)
    reasoning.effort = effort
  }
  return reasoning
}

/** The thinking config, in the terms of the model's generation. */
export function writeThinking(request: ChatRequest, thinking: Thinking, losses: Loss[]): Json | undefined {
  const { reasoning, paths } = request
  if (!reasoning) return undefined
  if (thinking.by === 'nothing') {
    if (reasoning.effort !== 'none') dropped(losses, paths.reasoning, 'the model does not think, or not by request')
    return undefined
  }
  const amount =
    thinking.by === 'budget'
      ? writeBudget(reasoning, thinking, paths.reasoning, losses)
      : writeLevel(reasoning, thinking.levels, paths.reasoning, losses)
  const off = amount['thinkingBudget'] === 0
  const out: Json = { ...amount, ...(reasoning.show !== undefined && !off && { includeThoughts: reasoning.show }) }
  return Object.keys(out).length > 0 ? out : undefined
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
  reasoning: Reasoning,
  range: { min: number; max: number; off: boolean },
  path: string | undefined,
  losses: Loss[],
): Json {
  const { effort, budget, adaptive } = reasoning
  const asked = budget ?? (effort === undefined ? undefined : BUDGETS[effort])
  if (asked === undefined) return adaptive ? { thinkingBudget: -1 } : {}
  if (asked === -1 || (asked === 0 && range.off)) return { thinkingBudget: asked }
  const thinkingBudget = Math.min(Math.max(asked, range.min), range.max)
  if (effort === 'none') changed(losses, path, 'the model can not stop thinking')
  else if (budget !== undefined && thinkingBudget !== budget) changed(losses, path, `the model thinks ${range.min} to ${range.max} tokens`)
  return { thinkingBudget }
}

function writeLevel(reasoning: Reasoning, levels: readonly Level[], path: string | undefined, losses: Loss[]): Json {
  const { budget } = reasoning
  if (budget !== undefined && budget !== -1) changed(losses, path, 'the model takes a level of thinking in place of a budget')
  const effort = budget === undefined ? reasoning.effort : effortOf(budget)
  if (effort === undefined) return {}
  const wanted = ['minimal', 'low', 'medium', 'high'].includes(effort) ? (effort.toUpperCase() as Level) : undefined
  if (wanted && levels.includes(wanted)) return { thinkingLevel: wanted }
  const thinkingLevel = nearest(effort, levels)
  if (budget === undefined)
    changed(losses, path, effort === 'none' ? 'the model can not stop thinking' : `the model thinks ${levels.join(', ').toLowerCase()}`)
  return { thinkingLevel }
}

/** The weakest level that is not weaker than the effort, else the strongest. */
function nearest(effort: Effort, levels: readonly Level[]): Level {
  const rank = EFFORTS.indexOf(effort)
  return levels.find((level) => EFFORTS.indexOf(LEVELS[level] ?? 'high') >= rank) ?? levels.at(-1) ?? 'HIGH'
}

function effortOf(budget: number): Effort | undefined {
  if (budget === -1) return undefined
  if (budget < 1024) return budget === 0 ? 'none' : 'minimal'
  if (budget <= 4096) return 'low'
  return budget <= 16_384 ? 'medium' : 'high'
}
