/** Vendor's rule for names. */
export interface NameRule {
  /** Matches all invalid characters. A global expression. */
  readonly illegal: RegExp
  /** Maximum characters; at least 10. */
  readonly max: number
  /** Matches names with a valid first character. */
  readonly start?: RegExp
}

/** Length of `_` and eight hex digits. */
const SUFFIX = 9

/**
 * Fits names or ids to a vendor's rule. The result maps each name to a valid one, which differs only if necessary:
 * invalid characters become `_`, and a long name is cut and gets a hash. Results are unique and deterministic.
 */
export function fitNames(names: Iterable<string>, rule: NameRule): ReadonlyMap<string, string> {
  const fitted = new Map<string, string>()
  const unfit: string[] = []
  for (const name of names) {
    if (cleaned(name, rule) === name && name.length <= rule.max) fitted.set(name, name)
    else unfit.push(name)
  }
  if (unfit.length === 0) return fitted
  const taken = new Set(fitted.keys())
  for (const name of unfit) {
    if (fitted.has(name)) continue
    const short = freeName(name, rule, taken)
    taken.add(short)
    fitted.set(name, short)
  }
  return fitted
}

/** Original names of the changed names. */
export function invert(fitted: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const originals = new Map<string, string>()
  for (const [name, short] of fitted) if (name !== short) originals.set(short, name)
  return originals
}

function cleaned(name: string, rule: NameRule): string {
  const legal = name.replace(rule.illegal, '_')
  if (legal === '') return '_'
  return rule.start && !rule.start.test(legal) ? `_${legal}` : legal
}

function freeName(name: string, rule: NameRule, taken: ReadonlySet<string>): string {
  const legal = cleaned(name, rule)
  if (legal.length <= rule.max && !taken.has(legal)) return legal
  const head = legal.slice(0, rule.max - SUFFIX)
  for (let salt = 0; ; salt++) {
    const short = `${head}_${hash(salt === 0 ? name : `${salt} ${name}`)}`
    if (!taken.has(short)) return short
  }
}

/** Hash of a string as eight hex digits (FNV-1a with a final mix). Not for secrets. */
export function hash(source: string): string {
  let value = 0x811c9dc5
  for (let at = 0; at < source.length; at++) value = Math.imul(value ^ source.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return ((value ^ (value >>> 16)) >>> 0).toString(16).padStart(8, '0')
}
