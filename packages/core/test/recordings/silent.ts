import type { Json } from '../../src/canonical/json.ts'
import type { Loss } from '../../src/canonical/loss.ts'
import { isCarried, type Sent } from './carried.ts'
import { folded, type Leaf, leavesOf, spelled, valueAt } from './leaves.ts'

/** Whether a leaf of a body is in what was sent. */
export type Test = (leaf: Leaf, sent: Sent, body: Json) => boolean

/**
 * For leaves whose path, without indices, matches. The first that matches decides; without one the value itself has to
 * be found.
 */
export type Rule = readonly [RegExp, Test]

function isWithin(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`) || path.startsWith(`${above}[`)
}

/** Paths of what of a body is neither in what was sent nor beneath one of the `declared` paths. */
export function silentLosses(body: Json, sent: Sent, rules: readonly Rule[], declared: readonly string[]): string[] {
  const above = declared.map(spelled)
  const silent = [...leavesOf(body)].filter((leaf) => {
    const path = spelled(leaf.path)
    if (above.some((one) => isWithin(path, one))) return false
    const rule = rules.find(([pattern]) => pattern.test(folded(leaf.path)))
    return rule ? !rule[1](leaf, sent, body) : !isCarried(leaf, sent)
  })
  return [...new Set(silent.map((leaf) => `is lost in silence: ${folded(leaf.path)}`))]
}

/** Whether a path, without indices, has `part` somewhere in it, step by step. */
function holds(path: string, part: string): boolean {
  return `.${path}.`.includes(`.${part}.`)
}

/**
 * Paths of what the frames of a stream say that is neither in what was sent nor declared. A stream's losses have no
 * place in a body: one that names a field is of all that have its name.
 */
export function silentInFrames(
  frames: readonly Json[],
  sent: Sent,
  rules: readonly Rule[],
  declared: readonly string[],
): string[] {
  const plain = (path: string): string => spelled(path.replace(/\[[\d*]+\]/g, ''))
  const names = [...new Set(declared.map(plain))]
  const silent = frames.flatMap((frame) =>
    [...leavesOf(frame)].filter((leaf) => {
      const path = folded(leaf.path)
      const rule = rules.find(([pattern]) => pattern.test(path))
      if (rule ? rule[1](leaf, sent, frame) : isCarried(leaf, sent)) return false
      return !names.some((name) => holds(plain(path), name))
    }),
  )
  return [...new Set(silent.map((leaf) => `is lost in silence: ${folded(leaf.path)}`))]
}

/** Declared losses of what the body does not hold. */
export function inventedLosses(body: Json, losses: readonly Loss[]): string[] {
  const invented = losses.filter(({ path }) => valueAt(body, path) === undefined)
  return [...new Set(invented.map(({ path }) => `no such field is there to be lost: ${folded(path)}`))]
}
