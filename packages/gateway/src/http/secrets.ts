import type { Credential } from '@headgate/core/contract'

/** So many values are remembered of a credential: those of the requests whose answers may still come. */
const REMEMBERED = 64
/** Shorter values are words such as a date or a region, which say nothing. */
const SHORTEST = 16
/** Shorter texts stand in words, and in other base64. */
const SHORTEST_FORM = 4
const SHORTEST_BASE64 = 10

/**
 * What was lately leased, and what was put into requests by signing them: those of many requests must not displace a
 * key.
 */
interface Noted {
  readonly leased: readonly string[]
  readonly added: readonly string[]
  readonly all: readonly string[]
}

const noted = new WeakMap<Credential, Noted>()
/** Forms of values, by the credential or the list that has them. */
const known = new WeakMap<object, readonly string[]>()
const NONE: readonly string[] = []

/** What is known of a signed credential from the start. */
function ownOf(credential: Credential): readonly string[] {
  return (credential.kind === 'signed' && credential.secrets) || NONE
}

/** Remembers values, so that no error repeats them. */
export function noteSecrets(credential: Credential, kind: 'leased' | 'added', given: readonly string[]): void {
  const before = noted.get(credential) ?? { leased: NONE, added: NONE, all: NONE }
  const fresh = given.filter((value) => value.length >= SHORTEST && !before[kind].includes(value))
  if (fresh.length === 0) return
  const kept = [...before[kind], ...fresh].slice(-REMEMBERED)
  const leased = kind === 'leased' ? kept : before.leased
  const added = kind === 'added' ? kept : before.added
  noted.set(credential, { leased, added, all: [...ownOf(credential), ...leased, ...added] })
}

/** Every form in which a credential may come back to us, longest first. */
export function secretsOf(credential: Credential): readonly string[] {
  if (credential.kind === 'none') return []
  const values = credential.kind === 'signed' ? (noted.get(credential)?.all ?? ownOf(credential)) : [credential.value]
  const holder = credential.kind === 'signed' ? values : credential
  const forms = known.get(holder) ?? formsOf(values)
  known.set(holder, forms)
  return forms
}

function formsOf(values: readonly string[]): string[] {
  const bare = new Set(values.flatMap((value) => [value, value.replace(/^\S+\s+/, '')]))
  const forms = [...bare].flatMap((value) => [value, encodeURIComponent(value), ...base64Of(value)])
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_FORM).sort((a, b) => b.length - a.length)
}

/**
 * The base64 of all texts that hold the value, as far as it is the value's own: by its place in a group of three, in
 * either alphabet.
 */
function base64Of(value: string): string[] {
  const whole = [0, 1, 2].map((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)])
    return bytes.toString('base64').slice(Math.ceil((shift * 4) / 3), Math.floor((bytes.length * 4) / 3))
  })
  return whole
    .filter((form) => form.length >= SHORTEST_BASE64)
    .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}
