import { CALLER_KEY } from '../../../caller.ts'
import { type CredentialFacts, secretOf, type UpstreamFacts } from '../../../facts.ts'
import { object } from '../../../json.ts'
import type { Received } from '../../../upstream.ts'
import { requestDifferences, show } from '../compare.ts'
import type { RequestMeaning } from '../meaning.ts'
import { wires } from '../wire/index.ts'

/** Headers of every HTTP request, and those of core. */
const PLAIN = ['host', 'connection', 'content-type', 'content-length', 'transfer-encoding', 'accept', 'accept-encoding', 'user-agent']

/** What is wrong with the request line, the headers and the credential, whatever the request is for. */
export function envelopeProblems(request: Received, upstream: UpstreamFacts): string[] {
  const credential = credentialProblems(request, upstream.credential)
  // A key that stands in the wrong place is there for all other rules as well.
  return credential.length > 0 ? credential : [...headerProblems(request, upstream), ...leakProblems(request, upstream)]
}

/** What is wrong with a chat request that arrived. */
export function chatRequestProblems(
  request: Received,
  {
    upstream,
    model,
    stream,
    asked,
    lost,
  }: { upstream: UpstreamFacts; model: string; stream: boolean; asked: RequestMeaning; lost: string },
): string[] {
  const wire = wires[upstream.format]
  const body = object(request.body)
  const differences = requestDifferences(asked, wire.readRequest(body), lost)
  return [
    ...lineProblems(request, upstream, model, stream),
    ...envelopeProblems(request, upstream),
    ...wire.refuses(body).map((reason) => `The vendor would answer with a 400: ${reason}.`),
    ...(upstream.refuses ?? [])
      .filter((field) => field in body)
      .map((field) => `The field \`${field}\` went up, and the upstream refuses it: name it in \`drop\` or \`rename\`.`),
    ...differences.map(
      (difference) =>
        `Of the request, ${difference}. What the upstream refuses belongs into \`drop\`; \`patchRequest\` must keep the rest.`,
    ),
  ]
}

function lineProblems({ method, path, query }: Received, upstream: UpstreamFacts, model: string, stream: boolean): string[] {
  const paths = typeof upstream.path === 'string' ? { whole: upstream.path, stream: upstream.path } : upstream.path
  const due = new URL((stream ? paths.stream : paths.whole).replace('{model}', model), 'http://upstream')
  const missing = [...due.searchParams].filter(([name, value]) => query.get(name) !== value)
  if (method === 'POST' && decodeURIComponent(path) === decodeURIComponent(due.pathname) && missing.length === 0) return []
  const search = query.size === 0 ? '' : '?…'
  return [
    `The upstream was asked with ${method} ${path}${search}, it serves POST ${due.pathname}${due.search}: mend \`path\` of the chat support, or \`baseUrl\`.`,
  ]
}

/** Whether the credential is in its place. */
export function credentialProblems({ headers, query }: Received, credential: CredentialFacts | undefined): string[] {
  if (!credential) return []
  const [place, found] =
    'header' in credential
      ? [`header \`${credential.header}\``, headers[credential.header]]
      : [`query parameter \`${credential.query}\``, query.get(credential.query)]
  if (found === credential.value) return []
  const elsewhere = Object.entries(headers).find(
    ([, value]) => value === credential.value || value.endsWith(credential.value.replace(/^\S+\s+/, '')),
  )
  const where = elsewhere ? `it came in the header \`${elsewhere[0]}\`` : found == null ? 'none came' : 'another value came'
  const shape =
    'header' in credential ? `{ kind: 'header', name: '${credential.header}', … }` : `{ kind: 'query', name: '${credential.query}', … }`
  return [
    `The upstream wants the credential in the ${place}, and ${where}: \`credential\` must be ${shape} with the value that the facts of the test have.`,
  ]
}

function headerProblems({ headers }: Received, upstream: UpstreamFacts): string[] {
  const { credential, headers: wanted = {}, forward = [] } = upstream
  const known = new Set([
    ...PLAIN,
    ...Object.keys(wanted),
    ...forward,
    ...(credential && 'header' in credential ? [credential.header] : []),
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
function leakProblems(request: Received, upstream: UpstreamFacts): string[] {
  const { credential } = upstream
  const secret = secretOf(upstream)
  return [
    ...placesOf(CALLER_KEY, request, credential).map(
      (place) => `The key of the caller went up in the ${place}: no header of a caller's credential may be in \`forward\`.`,
    ),
    ...(secret === undefined ? [] : placesOf(secret, request, credential)).map(
      (place) => `The provider's key stands in the ${place}, where logs and errors find it: \`credential\` is its only place.`,
    ),
  ]
}

/** Where in a request a word stands, but for the place of the credential. */
export function placesOf(word: string, { headers, path, query, body }: Received, credential: CredentialFacts | undefined): string[] {
  const places: [string, unknown][] = [
    ['path', path],
    ['body', body],
    ...Object.entries(headers)
      .filter(([name]) => !(credential && 'header' in credential && credential.header === name))
      .map(([name, value]): [string, unknown] => [`header \`${name}\``, value]),
    ...[...query]
      .filter(([name]) => !(credential && 'query' in credential && credential.query === name))
      .map(([name, value]): [string, unknown] => [`query parameter \`${name}\``, value]),
  ]
  return places.filter(([, value]) => JSON.stringify(value ?? '').includes(word)).map(([place]) => place)
}
