import type { Credential, HttpRequest } from '../provider.ts'

/** So many signatures are remembered: those of the requests whose answers may still come. */
const REMEMBERED = 64
/** Shorter values are words such as a date or a region, which say nothing. */
const SHORTEST = 16

/** What signing has lately put into requests. */
const signed = new WeakMap<Credential, string[]>()

/** Remembers what signing added to a request, so that no error repeats it. */
export function noteSigned(credential: Credential, before: HttpRequest, after: HttpRequest): void {
  const known = signed.get(credential) ?? []
  for (const [name, value] of Object.entries(after.headers)) {
    if (value !== before.headers[name] && value.length >= SHORTEST && !known.includes(value)) known.push(value)
  }
  signed.set(credential, known.slice(-REMEMBERED))
}

/** Every form in which a credential may come back to us, longest first. */
export function secretsOf(credential: Credential): string[] {
  const values = credential.kind === 'header' || credential.kind === 'query' ? [credential.value] : (signed.get(credential) ?? [])
  const bare = values.flatMap((value) => [value, value.replace(/^\S+\s+/, '')])
  const forms = bare.flatMap((value) => [value, encodeURIComponent(value)])
  return [...new Set(forms)].filter((form) => form.length > 3).sort((a, b) => b.length - a.length)
}
