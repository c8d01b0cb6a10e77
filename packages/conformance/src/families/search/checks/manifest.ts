import { baseUrlProblems, descriptionProblems } from '../../../checks/manifest.ts'
import { testCall } from '../../../test-call.ts'
import { isAstray } from '../harness.ts'
import { MOST, type SearchCheck, type SearchTarget } from './check.ts'

/** Checks of an adapter's description of itself and of its paging. */
export const manifest: SearchCheck = {
  name: 'describes itself as the contract requires',
  async run(target) {
    const { adapter, facts, harness } = target
    const isRemote = harness.backend.baseUrl !== undefined
    return [
      ...descriptionProblems(adapter, facts.config, { kind: 'search', maker: 'defineSearchBackend' }),
      ...environmentProblems(target),
      ...enableProblems(target),
      ...(isRemote ? baseUrlProblems(harness.backend.baseUrl, harness.upstream.origin) : []),
      ...(isRemote ? urlProblems(target) : []),
      ...pagingProblems(target),
      ...factsProblems(target, isRemote),
    ]
  },
}

function environmentProblems({ adapter: { id, env }, facts, harness }: SearchTarget): string[] {
  const prefix = id.toUpperCase().replaceAll('-', '_')
  const due: [string, readonly string[]][] = [
    ...(facts.credential ? [['apiKey', [`${prefix}_API_KEY`]] satisfies [string, string[]]] : []),
    ...(harness.backend.baseUrl === undefined
      ? []
      : [['baseUrl', [`${prefix}_BASE_URL`, `${prefix}_SEARCH_BASE_URL`]] satisfies [string, string[]]]),
  ]
  return due.flatMap(([field, names]) => {
    const source = env[field]?.[0]
    const first = typeof source === 'object' ? source.file : source
    if (first !== undefined && names.includes(first)) return []
    return `\`env.${field}\` begins with ${first ?? 'nothing'}: its first variable must be ${names.join(' or ')}, as in every adapter.`
  })
}

/** Installing a package must not send anyone's searches to a third party. */
function enableProblems({ adapter, facts, harness }: SearchTarget): string[] {
  if (harness.backend.baseUrl === undefined || adapter.enable === 'asked') return []
  if (facts.keyless === undefined && !adapter.config.safeParse({}).success) return []
  return [
    `\`enable\` is "${adapter.enable}", but the backend works without a key: set it to "asked", so that searches are sent to this vendor only if the configuration names it.`,
  ]
}

function urlProblems({ harness: { backend, upstream } }: SearchTarget): string[] {
  const { search } = backend
  if ('run' in search)
    return [
      'The backend has a `baseUrl`, but `search` runs in-process: write an exchange, so that core sends the requests.',
    ]
  const { url } = search.request({ q: 'gateways', limit: 10, offset: 0, page: 0, parameters: {} }, testCall())
  return isAstray(url, upstream.origin)
    ? [
        `The request goes to ${url}, which is not below \`baseUrl\`: return a path as \`url\`; core appends it to \`baseUrl\`.`,
      ]
    : []
}

function pagingProblems({ harness: { backend }, facts }: SearchTarget): string[] {
  const { paging } = backend
  const { maxLimit = Infinity } = facts.upstream ?? {}
  const perCall = paging.by === 'none' ? undefined : paging.perCall
  const numbers = [paging.maxResults, perCall].filter((one) => one !== undefined)
  return [
    ...(numbers.every((one) => Number.isInteger(one) && one > 0)
      ? []
      : ['The numbers in `paging` must be positive integers.']),
    ...(perCall !== undefined && perCall > maxLimit
      ? [`\`paging.perCall\` is ${perCall}, but the vendor accepts at most ${maxLimit}: set it to this number.`]
      : []),
    ...(paging.by === 'none' && maxLimit !== Infinity && paging.maxResults < Math.min(maxLimit, MOST)
      ? [
          `\`paging.maxResults\` is ${paging.maxResults}, but the vendor returns up to ${maxLimit}: callers get no more than \`maxResults\`.`,
        ]
      : []),
  ]
}

function factsProblems({ facts }: SearchTarget, isRemote: boolean): string[] {
  if (isRemote)
    return facts.upstream
      ? []
      : ['The backend has a `baseUrl`, but the facts of the test have no `upstream`: add what its vendor documents.']
  return facts.find?.length
    ? []
    : ['The backend runs in-process, but the facts of the test have no `find`: add what it must find.']
}
