import { CALLER_KEY } from '../../../caller.ts'
import { distinct } from '../../../checks/check.ts'
import { credentialProblems, placesOf } from '../../../checks/envelope.ts'
import { isObject } from '../../../json.ts'
import { type CredentialFacts, secretOf } from '../../../place.ts'
import type { Received } from '../../../upstream.ts'
import { resultsOf } from '../results.ts'
import { wordsOf } from '../vendor.ts'
import { hold, type RemoteSearchSubject, type SearchCheck, said } from './check.ts'

/** Words with whatever a URL, JSON or a shell might stumble over. */
const Q = 'größe of "api gateways" & C++ 50% #1 a=b?'

export const requestCheck: SearchCheck<RemoteSearchSubject> = {
  name: 'asks as its vendor documents it, with its credential in its place and nothing of the caller but the words',
  async run(subject) {
    const { bench, facts, upstream } = subject
    hold(subject, resultsOf(10))
    const found = await bench.search({ q: Q, key: CALLER_KEY })
    const requests = bench.upstream.received
    if (requests.length === 0) return [`A search never got to the upstream: ${said(found)}`]
    const surplus = Object.keys(facts.keylessHeaders ?? {})
    return distinct(
      requests.flatMap((request) => [
        ...lineProblems(request, upstream.method, upstream.path),
        ...envelopeProblems(request, facts.credential),
        ...surplus
          .filter((name) => request.headers[name] !== undefined)
          .map(
            (name) =>
              `The header \`${name}\` is of those who have no key, and it went up with one: send it only without \`apiKey\`.`,
          ),
        ...wordsProblems(request, subject),
      ]),
    )
  },
}

/** What is wrong with method, path and kind of the body. */
export function lineProblems({ method, path, headers, body }: Received, dueMethod: string, duePath: string): string[] {
  const type = headers['content-type']
  return [
    ...(method === dueMethod && path === duePath
      ? []
      : [
          `The upstream was asked with ${method} ${path}, it serves ${dueMethod} ${duePath}: mend \`method\` and \`url\` of the request, or \`baseUrl\`.`,
        ]),
    ...(method !== 'POST' || !isObject(body) || type?.startsWith('application/json')
      ? []
      : [
          `The body is JSON, and its \`content-type\` is ${type ?? 'absent'}: give it as \`body: { json }\`, core names its kind.`,
        ]),
    ...(method === 'GET' && body !== ''
      ? ['A GET went up with a body: put what it says into the query of `url`.']
      : []),
  ]
}

/** What is wrong with the credential, and what must not be in a request. */
export function envelopeProblems(request: Received, credential: CredentialFacts | undefined): string[] {
  const wrong = credentialProblems(request, credential)
  // A key that stands in the wrong place is there for all other rules as well.
  if (wrong.length > 0) return wrong
  const secret = credential && secretOf({ credential })
  return [
    ...placesOf(CALLER_KEY, request, credential).map(
      (place) =>
        `The key of the caller went up in the ${place}: nothing but what \`SearchQuery\` holds belongs into the request.`,
    ),
    ...(secret === undefined ? [] : placesOf(secret, request, credential)).map(
      (place) =>
        `The backend's key stands in the ${place}, where logs and errors find it: \`credential\` is its only place.`,
    ),
    ...['cookie', 'x-forwarded-for', 'origin']
      .filter((name) => request.headers[name] !== undefined)
      .map((name) => `The header \`${name}\` went up, which is no business of the vendor: take it out of \`headers\`.`),
  ]
}

function wordsProblems(request: Received, { upstream }: RemoteSearchSubject): string[] {
  const q = wordsOf(request, upstream)
  if (q === Q) return []
  return [
    `The vendor was asked for ${JSON.stringify(q)}, the caller asked for ${JSON.stringify(Q)}: send \`q\` as it is, encoded once.`,
  ]
}
