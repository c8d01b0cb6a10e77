import { isObject, type Json } from '../../src/canonical/json.ts'
import type { Loss } from '../../src/canonical/loss.ts'
import { folded, spelled } from '../recordings/leaves.ts'

/** What became of a request: its body in the other format and what was lost; undefined if it was refused. */
export type Translate = (body: Json) => { body: unknown; lost: readonly Loss[] } | undefined

/** What is known of the fields of a format. */
export interface Knowledge {
  /** Other values of a field by its key, such as the other words of an enumeration. */
  alternatives(key: string, value: unknown): readonly unknown[]
  /** Pairs of paths that mean one thing: a loss names the first of them. */
  readonly together: readonly (readonly [string, string])[]
  /**
   * Whether a field, by its folded path, says only what the rest of the request says, or what every provider does
   * without it.
   */
  isImplied(path: string, value: unknown): boolean
}

type Step = string | number

interface Field {
  readonly steps: readonly Step[]
  readonly path: string
  readonly key: string
  readonly value: unknown
}

/**
 * Fields of a request that are neither carried nor declared as lost: without the field, and with every other valid
 * value of it, what is sent and what is declared stay the same.
 */
export function silentFields(
  body: Json,
  translate: Translate,
  { alternatives, together, isImplied }: Knowledge,
): string[] {
  const whole = translate(body)
  if (!whole) return []
  const before = JSON.stringify(whole)
  const declared = [
    ...whole.lost.map(({ path }) => spelled(path)),
    ...together.filter(([first]) => whole.lost.some(({ path }) => path === first)).map(([, second]) => spelled(second)),
  ]
  const silent = [...fieldsOf(body)].filter(({ steps, path, key, value }) => {
    if (isImplied(folded(path), value) || declared.some((one) => isWithin(spelled(path), one))) return false
    let isSame = false
    for (const changed of [
      without(body, steps),
      ...alternatives(key, value).map((other) => replaced(body, steps, other)),
    ]) {
      const after = translate(changed)
      if (!after) continue
      if (JSON.stringify(after) !== before) return false
      isSame = true
    }
    return isSame
  })
  return [...new Set(silent.map(({ path }) => folded(path)))]
}

function isWithin(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`) || path.startsWith(`${above}[`)
}

/**
 * Values that hold no others. Null, an empty list and an empty string mean nothing, as do empty objects other than
 * tools and blocks.
 */
function* fieldsOf(value: unknown, steps: readonly Step[] = [], path = '', key = ''): Generator<Field> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* fieldsOf(item, [...steps, index], `${path}[${index}]`, key)
  } else if (isObject(value) && Object.keys(value).length > 0) {
    for (const [name, item] of Object.entries(value))
      yield* fieldsOf(item, [...steps, name], path === '' ? name : `${path}.${name}`, name)
  } else if (
    value !== null &&
    value !== undefined &&
    value !== '' &&
    !Array.isArray(value) &&
    (!isObject(value) || /tools|parts/.test(path))
  ) {
    yield { steps, path, key, value }
  }
}

export function without(value: unknown, steps: readonly Step[]): Json {
  return edited(value, steps, undefined) as Json
}

function replaced(value: unknown, steps: readonly Step[], other: unknown): Json {
  return edited(value, steps, other) as Json
}

/** A copy in which a field has another value, or is absent. */
function edited(value: unknown, [step, ...rest]: readonly Step[], other: unknown): unknown {
  if (step === undefined) return other
  if (Array.isArray(value)) {
    const list = value.map((item: unknown, index) => (index === step ? edited(item, rest, other) : item))
    return rest.length === 0 && other === undefined ? list.filter((_, index) => index !== step) : list
  }
  if (!isObject(value)) return value
  if (rest.length > 0 || other !== undefined) return { ...value, [step]: edited(value[step], rest, other) }
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== step))
}
