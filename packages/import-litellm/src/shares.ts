import type { Deployment } from './deployment.ts'
import type { UpstreamContext } from './upstream.ts'

/** Shares of deployments within their groups. */
export interface Shares {
  /** Weights; absent = 1. */
  readonly weights: ReadonlyMap<Deployment, number>
  /** Ranks from 0; higher ranks are called after failures. */
  readonly ranks: ReadonlyMap<Deployment, number>
}

/** Sources of weights, in order of preference. A source applies if every deployment of a group has it. */
const SOURCES: readonly ((one: Deployment) => number | undefined)[] = [
  ({ weight }) => weight,
  ({ limits }) => limits.rpm?.value,
  ({ limits }) => limits.tpm?.value,
]

const PARTIAL = 'only some deployments of the model have a positive weight: set `weight` of each endpoint or target'

/**
 * Weights and ranks of deployments.
 * @see https://docs.litellm.ai/docs/router/learn/strategies
 */
export function sharesOf(deployments: readonly Deployment[], { remark }: Pick<UpstreamContext, 'remark'>): Shares {
  const weights = new Map<Deployment, number>()
  for (const group of Map.groupBy(deployments, (one) => one.group).values()) {
    const source = SOURCES.find((read) => group.every((one) => (read(one) ?? 0) > 0))
    const values = group.map((one) => source?.(one) ?? 1)
    const divisor = values.every(Number.isInteger) ? values.reduce(greatestDivisor) : 1
    const isEqual = values.every((value) => value === values[0])
    for (const [index, one] of group.entries()) if (!isEqual) weights.set(one, (values[index] ?? 1) / divisor)
    if (source !== SOURCES[0])
      for (const { weight, path } of group)
        if (weight !== undefined) remark('left', [...path, 'litellm_params', 'weight'], PARTIAL)
  }
  const ranks = new Map<Deployment, number>()
  for (const group of Map.groupBy(deployments, ({ alias }) => alias).values()) {
    const orders = [...new Set(group.map(({ order }) => order))].sort((a, b) => (a === b ? 0 : a - b))
    for (const one of group) ranks.set(one, orders.indexOf(one.order))
  }
  return { weights, ranks }
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}
