import type { Credential } from '@headgate/core/contract'

/** Maximum values that are remembered per credential: enough for requests whose responses may still arrive. */
const MAX_REMEMBERED = 64
/** Shorter values are words such as a date or a region, which are not secret. */
const MIN_SECRET_LENGTH = 16
/** Shorter forms occur by chance in text and in unrelated base64. */
const MIN_FORM_LENGTH = 4
const MIN_BASE64_LENGTH = 10

/**
 * Recent leases and recent signature headers. They are stored separately: the headers of many requests must not
 * displace a lease.
 */
interface RecentSecrets {
  readonly leased: readonly string[]
  readonly added: readonly string[]
  readonly all: readonly string[]
}

const recent = new WeakMap<Credential, RecentSecrets>()
/** Forms of values, by the credential or by the list of values. */
const known = new WeakMap<object, readonly string[]>()
const NONE: readonly string[] = []

/** Configured secrets of a signed credential. */
function configuredSecrets(credential: Credential): readonly string[] {
  return (credential.kind === 'signed' && credential.secrets) || NONE
}

/** Remembers values, so that no error repeats them. */
export function recordSecrets(credential: Credential, kind: 'leased' | 'added', given: readonly string[]): void {
  const before = recent.get(credential) ?? { leased: NONE, added: NONE, all: NONE }
  const fresh = given.filter((value) => value.length >= MIN_SECRET_LENGTH && !before[kind].includes(value))
  if (fresh.length === 0) return
  const kept = [...before[kind], ...fresh].slice(-MAX_REMEMBERED)
  const leased = kind === 'leased' ? kept : before.leased
  const added = kind === 'added' ? kept : before.added
  recent.set(credential, { leased, added, all: [...configuredSecrets(credential), ...leased, ...added] })
}

/** Every form in which a credential may appear in a response, longest first. */
export function secretsOf(credential: Credential): readonly string[] {
  if (credential.kind === 'none') return []
  const values =
    credential.kind === 'signed' ? (recent.get(credential)?.all ?? configuredSecrets(credential)) : [credential.value]
  const holder = credential.kind === 'signed' ? values : credential
  const forms = known.get(holder) ?? formsOf(values)
  known.set(holder, forms)
  return forms
}

function formsOf(values: readonly string[]): string[] {
  const bare = new Set(values.flatMap((value) => [value, value.replace(/^\S+\s+/, '')]))
  const forms = [...bare].flatMap((value) => [value, encodeURIComponent(value), ...base64Of(value)])
  return [...new Set(forms)].filter((form) => form.length >= MIN_FORM_LENGTH).sort((a, b) => b.length - a.length)
}

/** Base64 forms of a value within a longer text: one for each position in a group of three bytes, in both alphabets. */
function base64Of(value: string): string[] {
  const whole = [0, 1, 2].map((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)])
    return bytes.toString('base64').slice(Math.ceil((shift * 4) / 3), Math.floor((bytes.length * 4) / 3))
  })
  return whole
    .filter((form) => form.length >= MIN_BASE64_LENGTH)
    .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}
