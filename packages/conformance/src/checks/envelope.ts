import { CALLER_KEY } from '../caller.ts'
import { type CredentialFacts, type SignatureFacts, secretsOf, signatureOf, type UpstreamPlace } from '../place.ts'
import { show } from '../show.ts'
import type { Received } from '../upstream.ts'

/** Headers of every HTTP request, including the headers that core sets. */
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

/** Problems with the headers and the credential of any request. */
export function envelopeProblems(request: Received, upstream: UpstreamPlace): string[] {
  const credential = credentialProblems(request, upstream.credential)
  // Report a misplaced key alone: every other rule would report it again.
  return credential.length > 0 ? credential : [...headerProblems(request, upstream), ...leakProblems(request, upstream)]
}

/** Problems with method, path and query. `paths` are the allowed paths; `{model}` is a placeholder for the model. */
export function lineProblems(
  { method, path, query }: Received,
  paths: readonly string[],
  model: string,
  advice: string,
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
  return [
    `The adapter sent ${method} ${path}${search}, but the upstream serves ${served}: fix ${advice}, or \`baseUrl\`.`,
  ]
}

/** Problems with the placement and value of the credential. */
export function credentialProblems(request: Received, credential: UpstreamPlace['credential']): string[] {
  if (!credential) return []
  return 'secrets' in credential ? signatureProblems(request, credential) : keyProblems(request, credential)
}

function signatureProblems(request: Received, { headers, isRight }: SignatureFacts): string[] {
  const missing = headers.filter((name) => request.headers[name] === undefined)
  if (missing.length > 0)
    return [
      `The request is not signed: it has no \`${missing.join('`, `')}\`: \`sign\` of the credential must add the signature.`,
    ]
  return isRight(request)
    ? []
    : ['The vendor rejects the signature: `sign` must cover exactly the bytes that are sent.']
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
    ? `it is in the header \`${elsewhere[0]}\``
    : found == null
      ? 'the request has none'
      : 'its value is wrong'
  const shape =
    'header' in credential
      ? `{ kind: 'header', name: '${credential.header}', … }`
      : `{ kind: 'query', name: '${credential.query}', … }`
  return [
    `The upstream expects the credential in the ${place}, but ${where}: \`credential\` must be ${shape} with the value from the facts of the test.`,
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
        `The upstream requires the header \`${name}: ${value}\`, but got ${show(headers[name])}: add it to \`headers\` of the chat support and of other requests.`,
    ),
    ...surplus.map(
      (name) =>
        `The header \`${name}\` was sent, but the upstream does not know it: remove it from \`headers\` or \`forward\`, or add it to the facts of the test.`,
    ),
  ]
}

/** The provider's key must be only in its place; the caller's key must not be in the request. */
function leakProblems(request: Received, upstream: UpstreamPlace): string[] {
  const { credential } = upstream
  return [
    ...placesOf(CALLER_KEY, request, credential).map(
      (place) =>
        `The caller's key was sent in the ${place}: \`forward\` must not name a header with a caller's credential.`,
    ),
    ...secretsOf(upstream)
      .flatMap((secret) => placesOf(secret, request, credential))
      .map(
        (place) =>
          `The provider's key is in the ${place}, where logs and errors can expose it: send it only in the place that \`credential\` names.`,
      ),
  ]
}

/** Places in a request that contain a value, except the credential's place. */
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
