import { fits } from '@headgate/core/contract'
import type { Principal } from '../../ports/ledger.ts'
import type { RateLimit } from '../../ports/rate-limit.ts'
import type { AppliedLimit, LimitsOf, RateCounters, RateLimits } from '../../ports/rates.ts'
import { memoryCounters } from './counters.ts'

const NONE: readonly AppliedLimit[] = []

/** Limits by name pattern; `*` matches any characters. */
export type LimitsByName = Readonly<Record<string, RateLimit>>

function appliedOf(limits: LimitsByName): readonly (readonly [pattern: string, limit: RateLimit])[] {
  return Object.entries(limits)
}

/**
 * The key's own limits and its creator's limits.
 * @example
 * ```ts
 * limitsOfKey({ id: 'alice', limits: { requestsPerMinute: 60 } })
 * // [{ scope: 'key', id: 'alice', limit: { requestsPerMinute: 60 } }]
 * ```
 */
export function limitsOfKey({ id, limits, memberLimits, owners }: Principal): readonly AppliedLimit[] {
  const own: readonly AppliedLimit[] = limits ? [{ scope: 'key', id, limit: limits }] : NONE
  const member = owners?.member
  if (memberLimits === undefined || member === undefined) return own
  // A person can be a member of several organizations, each with separate limits.
  const ofMember = owners?.organization === undefined ? member : `${member} in ${owners.organization}`
  return [...own, { scope: 'member', id: ofMember, limit: memberLimits }]
}

/**
 * Limits of keys, models and projects. All models that match a pattern share one counter, by the name that the caller
 * used; each project that matches has a separate counter.
 * @example
 * ```ts
 * const limitsOf = limitsByName({
 *   models: { 'gpt-*': { tokensPerMinute: 1_000_000 } },
 *   projects: { '*': { concurrent: 20 } },
 * })
 * const gateway = createGateway({ providers, authenticate, rateLimits: memoryRateLimits({ limitsOf }) })
 * ```
 */
export function limitsByName({
  models = {},
  projects = {},
}: {
  models?: LimitsByName
  projects?: LimitsByName
}): LimitsOf {
  const ofModels = appliedOf(models)
  const ofProjects = appliedOf(projects)
  if (ofModels.length === 0 && ofProjects.length === 0) return limitsOfKey
  return (principal, model) => {
    const own = limitsOfKey(principal)
    const project = principal.owners?.project
    const others: AppliedLimit[] = []
    if (project !== undefined)
      for (const [pattern, limit] of ofProjects)
        if (fits(pattern, project))
          others.push({ scope: 'project', id: pattern === project ? project : `${project} (${pattern})`, limit })
    for (const [pattern, limit] of ofModels)
      if (fits(pattern, model)) others.push({ scope: 'model', id: pattern, limit })
    if (others.length === 0) return own
    return [...own, ...others]
  }
}

/**
 * Rate limits with the given counters.
 * @example
 * ```ts
 * const rateLimits = rateLimitsBy(sharedCounters, limitsByName({ models: { '*': { concurrent: 100 } } }))
 * ```
 */
export function rateLimitsBy(counters: RateCounters, limitsOf: LimitsOf): RateLimits {
  return {
    take({ principal, model, estimate }) {
      const limits = limitsOf(principal, model)
      if (limits.length === 0) return undefined
      const hasTokens = estimate !== undefined && limits.some(({ limit }) => limit.tokensPerMinute !== undefined)
      return counters.take(hasTokens ? { limits, tokens: estimate() } : { limits })
    },
  }
}

/**
 * Rate limits with in-memory counters. Gateways that replace each other share one instance.
 * @param limitsOf default: the key's `principal.limits`
 * @example
 * ```ts
 * const gateway = createGateway({
 *   providers,
 *   authenticate: () => ({ id: 'alice', limits: { requestsPerMinute: 60 } }),
 *   rateLimits: memoryRateLimits(),
 * })
 * ```
 */
export function memoryRateLimits({ limitsOf = limitsOfKey }: { readonly limitsOf?: LimitsOf } = {}): RateLimits {
  return rateLimitsBy(memoryCounters(), limitsOf)
}
