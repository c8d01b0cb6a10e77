import { baseUrlProblems, descriptionProblems } from '../../../checks/manifest.ts'
import { testCall } from '../../../test-call.ts'
import { isAstray } from '../bench.ts'
import { MOST, type SearchCheck, type SearchSubject } from './check.ts'

/** What an adapter says of itself and of its paging. */
export const manifest: SearchCheck = {
  name: 'describes itself as the contract wants it',
  async run(subject) {
    const { adapter, facts, bench } = subject
    const isRemote = bench.backend.baseUrl !== undefined
    return [
      ...descriptionProblems(adapter, facts.config, { kind: 'search', maker: 'defineSearchBackend' }),
      ...environmentProblems(subject),
      ...enableProblems(subject),
      ...(isRemote ? baseUrlProblems(bench.backend.baseUrl, bench.upstream.origin) : []),
      ...(isRemote ? urlProblems(subject) : []),
      ...pagingProblems(subject),
      ...factsProblems(subject, isRemote),
    ]
  },
}

function environmentProblems({ adapter: { id, env }, facts, bench }: SearchSubject): string[] {
  const prefix = id.toUpperCase().replaceAll('-', '_')
  const due: [string, readonly string[]][] = [
    ...(facts.credential ? [['apiKey', [`${prefix}_API_KEY`]] satisfies [string, string[]]] : []),
    ...(bench.backend.baseUrl === undefined
      ? []
      : [['baseUrl', [`${prefix}_BASE_URL`, `${prefix}_SEARCH_BASE_URL`]] satisfies [string, string[]]]),
  ]
  return due.flatMap(([field, names]) => {
    const source = env[field]?.[0]
    const first = typeof source === 'object' ? source.file : source
    if (first !== undefined && names.includes(first)) return []
    return `\`env.${field}\` begins with ${first ?? 'nothing'}: its first variable is ${names.join(' or ')}, as with every adapter.`
  })
}

/** Nobody's words go to a third party because a package happens to be there. */
function enableProblems({ adapter, facts, bench }: SearchSubject): string[] {
  if (bench.backend.baseUrl === undefined || adapter.enable === 'asked') return []
  if (facts.keyless === undefined && !adapter.config.safeParse({}).success) return []
  return [
    `\`enable\` is "${adapter.enable}", and it works without a key: make it "asked", so that a bare start sends nobody's searches away.`,
  ]
}

function urlProblems({ bench: { backend, upstream } }: SearchSubject): string[] {
  const { search } = backend
  if ('run' in search)
    return [
      'There is a `baseUrl`, and `search` runs in this process: core asks for what is elsewhere, write an exchange.',
    ]
  const { url } = search.request({ q: 'gateways', limit: 10, offset: 0, page: 0, parameters: {} }, testCall())
  return isAstray(url, upstream.origin)
    ? [`The request goes to ${url}, past \`baseUrl\`: give \`url\` as a path, core puts it after \`baseUrl\`.`]
    : []
}

function pagingProblems({ bench: { backend }, facts }: SearchSubject): string[] {
  const { paging } = backend
  const { maxLimit = Infinity } = facts.upstream ?? {}
  const perCall = paging.by === 'none' ? undefined : paging.perCall
  const numbers = [paging.reach, perCall].filter((one) => one !== undefined)
  return [
    ...(numbers.every((one) => Number.isInteger(one) && one > 0)
      ? []
      : ['`paging` has a number that is no whole number from 1.']),
    ...(perCall !== undefined && perCall > maxLimit
      ? [`\`paging.perCall\` is ${perCall}, the vendor takes ${maxLimit} at most: that is the number.`]
      : []),
    ...(paging.by === 'none' && maxLimit !== Infinity && paging.reach < Math.min(maxLimit, MOST)
      ? [`\`paging.reach\` is ${paging.reach}, the vendor gives ${maxLimit}: callers get no more than \`reach\`.`]
      : []),
  ]
}

function factsProblems({ facts }: SearchSubject, isRemote: boolean): string[] {
  if (isRemote)
    return facts.upstream
      ? []
      : ['The backend has a `baseUrl`, and the facts of the test no `upstream`: say what its vendor documents.']
  return facts.find?.length
    ? []
    : ['The backend runs in this process, and the facts of the test have no `find`: say what it must find.']
}
