/** Classes of requests, the most urgent first. */
export const SERVICE_CLASSES = ['interactive', 'normal', 'batch'] as const

/** Class of a request: how soon it is served if requests must wait, and how late it is refused in an overload. */
export type ServiceClass = (typeof SERVICE_CLASSES)[number]

/** Class of keys without another one. */
export const DEFAULT_CLASS: ServiceClass = 'normal'

/** Maximum weight of a key. */
export const MAX_WEIGHT = 100

/**
 * True for the name of a class.
 *
 * @example
 * ```ts
 * isServiceClass('batch') // true
 * isServiceClass('urgent') // false
 * ```
 */
export function isServiceClass(name: string): name is ServiceClass {
  return (SERVICE_CLASSES as readonly string[]).includes(name)
}

/**
 * True for a weight of a key: a whole number from 1 to {@link MAX_WEIGHT}.
 *
 * @example
 * ```ts
 * isWeight(5) // true
 * isWeight(0) // false
 * ```
 */
export function isWeight(weight: number): boolean {
  return Number.isInteger(weight) && weight >= 1 && weight <= MAX_WEIGHT
}

/**
 * The less urgent of two classes.
 *
 * @example
 * ```ts
 * lowerClass('normal', 'interactive') // 'normal'
 * ```
 */
export function lowerClass(one: ServiceClass, other: ServiceClass): ServiceClass {
  return SERVICE_CLASSES.indexOf(one) > SERVICE_CLASSES.indexOf(other) ? one : other
}
