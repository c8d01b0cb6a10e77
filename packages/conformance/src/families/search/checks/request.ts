import { CALLER_KEY } from '../../../caller.ts'
import { distinct } from '../../../checks/check.ts'
import { credentialProblems, placesOf } from '../../../checks/envelope.ts'
import { isObject } from '../../../json.ts'
import { type CredentialFacts, secretOf } from '../../../place.ts'
import type { Received } from '../../../upstream.ts'
import { resultsOf } from '../results.ts'
import { wordsOf } from '../vendor.ts'
import { hold, type RemoteSearchTarget, type SearchCheck, said } from './check.ts'

/** Query with characters that need escaping in a URL, in JSON or in a shell. */
const Q = 'größe of "api gateways" & C++ 50% #1 a=b?'

export const requestCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'sends requests as its vendor documents them, with its credential in its place and no data of the caller except the query',
  async run(target) {
    const { harness, facts, upstream } = target
    hold(target, resultsOf(10))
    const found = await harness.search({ q: Q, key: CALLER_KEY })
    const requests = harness.upstream.received
    if (requests.length === 0) return [`A search did not reach the upstream: ${said(found)}`]
    const surplus = Object.keys(facts.keylessHeaders ?? {})
    return distinct(
      requests.flatMap((request) => [
        ...lineProblems(request, upstream.method, upstream.path),
        ...envelopeProblems(request, facts.credential),
        ...surplus
          .filter((name) => request.headers[name] !== undefined)
          .map(
            (name) =>
              `The header \`${name}\` is only for requests without a key, but was sent with one: send it only without \`apiKey\`.`,
          ),
        ...wordsProblems(request, target),
      ]),
    )
  },
}

/** Problems with method, path and body type. */
export function lineProblems({ method, path, headers, body }: Received, dueMethod: string, duePath: string): string[] {
  const type = headers['content-type']
  return [
    ...(method === dueMethod && path === duePath
      ? []
      : [
          `The adapter sent ${method} ${path}, but the upstream serves ${dueMethod} ${duePath}: fix \`method\` and \`url\` of the request, or \`baseUrl\`.`,
        ]),
    ...(method !== 'POST' || !isObject(body) || type?.startsWith('application/json')
      ? []
      : [
          `The body is JSON, but its \`content-type\` is ${type ?? 'absent'}: return it as \`body: { json }\`; core sets the type.`,
        ]),
    ...(method === 'GET' && body !== '' ? ['A GET was sent with a body: move its content to the query of `url`.'] : []),
  ]
}

/** Problems with the credential, and values that must not be in a request. */
export function envelopeProblems(request: Received, credential: CredentialFacts | undefined): string[] {
  const wrong = credentialProblems(request, credential)
  // Report a misplaced key alone: every other rule would report it again.
  if (wrong.length > 0) return wrong
  const secret = credential && secretOf({ credential })
  return [
    ...placesOf(CALLER_KEY, request, credential).map(
      (place) => `The caller's key was sent in the ${place}: only values of \`SearchQuery\` can be in the request.`,
    ),
    ...(secret === undefined ? [] : placesOf(secret, request, credential)).map(
      (place) =>
        `The backend's key is in the ${place}, where logs and errors can expose it: send it only in the place that \`credential\` names.`,
    ),
    ...['cookie', 'x-forwarded-for', 'origin']
      .filter((name) => request.headers[name] !== undefined)
      .map((name) => `The header \`${name}\` was sent, but the vendor must not get it: remove it from \`headers\`.`),
  ]
}

function wordsProblems(request: Received, { upstream }: RemoteSearchTarget): string[] {
  const q = wordsOf(request, upstream)
  if (q === Q) return []
  return [
    `The vendor received the query ${JSON.stringify(q)}, but the caller sent ${JSON.stringify(Q)}: send \`q\` unchanged, encoded once.`,
  ]
}
