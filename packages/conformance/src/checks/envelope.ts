import { CALLER_KEY } from '../caller.ts'
import { type CredentialFacts, type SignatureFacts, secretsOf, signatureOf, type UpstreamPlace } from '../place.ts'
import { show } from '../show.ts'
import type { Received } from '../upstream.ts'

/** Headers of every HTTP request, and those of core. */
const PLAIN = [
  'host',
  'connection',
  'content-type',
  'content-length',
  'transfer-encoding',
  'accept',
  'accept-encoding',
  'user-agent',
  'headgate-hops',
]

/** What is wrong with the headers and the credential, whatever the request is for. */
export function envelopeProblems(request: Received, upstream: UpstreamPlace): string[] {
  const credential = credentialProblems(request, upstream.credential)
  // A key that stands in the wrong place is there for all other rules as well.
  return credential.length > 0 ? credential : [...headerProblems(request, upstream), ...leakProblems(request, upstream)]
}

/**
 * What is wrong with method, path and query. `paths` are those where such requests are taken; `{model}` stands for the
 * model.
 */
export function lineProblems(
  { method, path, query }: Received,
  paths: readonly string[],
  model: string,
  mend: string,
): string[] {
  const due = paths.map((one) => new URL(one.replace('{model}', encodeURIComponent(model)), 'http://upstream'))
  const isDue = due.some(
    ({ pathname, searchParams }) =>
      method === 'POST' &&
      decodeURIComponent(path) === decodeURIComponent(pathname) &&
      [...searchParams].every(([name, value]) => query.get(name) === value),
  )
  if (isDue) return []
  const search = query.size === 0 ? '' : '?…'
  const served = due.map(({ pathname, search }) => `POST ${decodeURIComponent(pathname)}${search}`).join(' and ')
  return [`The upstream was asked with ${method} ${path}${search}, it serves ${served}: mend ${mend}, or \`baseUrl\`.`]
}

/** Whether the credential is in its place. */
export function credentialProblems(request: Received, credential: UpstreamPlace['credential']): string[] {
  if (!credential) return []
  return 'secrets' in credential ? signatureProblems(request, credential) : keyProblems(request, credential)
}

function signatureProblems(request: Received, { headers, isRight }: SignatureFacts): string[] {
  const missing = headers.filter((name) => request.headers[name] === undefined)
  if (missing.length > 0)
    return [`The request lacks what signs it, \`${missing.join('`, `')}\`: \`sign\` of the credential must add it.`]
  return isRight(request)
    ? []
    : ['The vendor does not take the signature: `sign` must cover the request as it goes out, byte for byte.']
}

function keyProblems({ headers, query }: Received, credential: CredentialFacts): string[] {
  const [place, found] =
    'header' in credential
      ? [`header \`${credential.header}\``, headers[credential.header]]
      : [`query parameter \`${credential.query}\``, query.get(credential.query)]
  if (found === credential.value) return []
  const elsewhere = Object.entries(headers).find(
    ([, value]) => value === credential.value || value.endsWith(credential.value.replace(/^\S+\s+/, '')),
  )
  const where = elsewhere
    ? `it came in the header \`${elsewhere[0]}\``
    : found == null
      ? 'none came'
      : 'another value came'
  const shape =
    'header' in credential
      ? `{ kind: 'header', name: '${credential.header}', … }`
      : `{ kind: 'query', name: '${credential.query}', … }`
  return [
    `The upstream wants the credential in the ${place}, and ${where}: \`credential\` must be ${shape} with the value that the facts of the test have.`,
  ]
}

function headerProblems({ headers }: Received, upstream: UpstreamPlace): string[] {
  const { credential, headers: wanted = {}, forward = [] } = upstream
  const known = new Set([
    ...PLAIN,
    ...Object.keys(wanted),
    ...forward,
    ...(credential && 'header' in credential ? [credential.header] : []),
    ...(signatureOf(upstream)?.headers ?? []),
  ])
  const missing = Object.entries(wanted).filter(([name, value]) => headers[name] !== value)
  const surplus = Object.keys(headers).filter((name) => !known.has(name))
  return [
    ...missing.map(
      ([name, value]) =>
        `The upstream wants the header \`${name}: ${value}\`, it got ${show(headers[name])}: put it into \`headers\` of the chat support and of other requests.`,
    ),
    ...surplus.map(
      (name) =>
        `The header \`${name}\` went up, which the upstream does not know: take it out of \`headers\` or \`forward\`, or name it in the facts of the test.`,
    ),
  ]
}

/** Our key belongs into its place and nowhere else; the caller's key nowhere. */
function leakProblems(request: Received, upstream: UpstreamPlace): string[] {
  const { credential } = upstream
  return [
    ...placesOf(CALLER_KEY, request, credential).map(
      (place) =>
        `The key of the caller went up in the ${place}: no header of a caller's credential may be in \`forward\`.`,
    ),
    ...secretsOf(upstream)
      .flatMap((secret) => placesOf(secret, request, credential))
      .map(
        (place) =>
          `The provider's key stands in the ${place}, where logs and errors find it: \`credential\` is its only place.`,
      ),
  ]
}

/** Where in a request a word stands, but for the place of the credential. */
export function placesOf(
  word: string,
  { headers, path, query, body }: Received,
  credential: UpstreamPlace['credential'],
): string[] {
  const own =
    credential && 'secrets' in credential
      ? credential.headers
      : credential && 'header' in credential
        ? [credential.header]
        : []
  const places: [string, unknown][] = [
    ['path', path],
    ['body', body],
    ...Object.entries(headers)
      .filter(([name]) => !own.includes(name))
      .map(([name, value]): [string, unknown] => [`header \`${name}\``, value]),
    ...[...query]
      .filter(([name]) => !(credential && 'query' in credential && credential.query === name))
      .map(([name, value]): [string, unknown] => [`query parameter \`${name}\``, value]),
  ]
  return places.filter(([, value]) => JSON.stringify(value ?? '').includes(word)).map(([place]) => place)
}
