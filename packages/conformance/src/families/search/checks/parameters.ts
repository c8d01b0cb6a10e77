import type { Operator, Parameter } from '@headgate/core/search'
import { distinct } from '../../../checks/check.ts'
import type { Received } from '../../../upstream.ts'
import { queryOf, type SearchOutcome, type SearchParameters } from '../harness.ts'
import { resultsOf } from '../results.ts'
import { vendorRequest, wordsOf } from '../vendor.ts'
import { hold, type RemoteSearchTarget, type SearchCheck, said } from './check.ts'

/** Values for each parameter; several if one of them can be the vendor's default. */
const SAMPLES: Readonly<Record<Parameter, readonly [SearchParameters, ...SearchParameters[]]>> = {
  siteSearch: [{ siteSearch: 'example.org' }],
  dateRestrict: [{ dateRestrict: 'w1' }],
  gl: [{ gl: 'de' }],
  hl: [{ hl: 'de' }],
  lr: [{ lr: 'lang_de' }],
  safe: [{ safe: 'active' }, { safe: 'off' }],
  exactTerms: [{ exactTerms: 'blue harbour' }],
  excludeTerms: [{ excludeTerms: 'zebra' }],
  orTerms: [{ orTerms: 'apple pear' }],
  fileType: [{ fileType: 'pdf' }],
  searchType: [{ searchType: 'image' }],
  imgColorType: [{ searchType: 'image', imgColorType: 'gray' }],
  imgDominantColor: [{ searchType: 'image', imgDominantColor: 'blue' }],
  imgSize: [{ searchType: 'image', imgSize: 'large' }],
  imgType: [{ searchType: 'image', imgType: 'photo' }],
  c2coff: [{ c2coff: '1' }],
  cr: [{ cr: 'countryDE' }],
  enableAlternateSearchHandler: [{ enableAlternateSearchHandler: 'true' }],
  filter: [{ filter: '0' }],
  googlehost: [{ googlehost: 'google.de' }],
  highRange: [{ lowRange: '5', highRange: '9' }],
  hq: [{ hq: 'harbour' }],
  linkSite: [{ linkSite: 'example.net' }],
  lowRange: [{ lowRange: '5', highRange: '9' }],
  relatedSite: [{ relatedSite: 'example.net' }],
  rights: [{ rights: 'cc_publicdomain' }],
  snippetLength: [{ snippetLength: '200' }],
  sort: [{ sort: 'date' }],
}
const PARAMETERS = Object.keys(SAMPLES) as Parameter[]

/** Operators in the query for parameters that the backend does not support. */
const WORDS: Readonly<Record<Operator, readonly [SearchParameters, RegExp][]>> = {
  siteSearch: [
    [{ siteSearch: 'example.org' }, /(^|\s)\(?site:example\.org\)?(\s|$)/],
    [{ siteSearch: 'example.org', siteSearchFilter: 'e' }, /(^|\s)-site:example\.org(\s|$)/],
  ],
  exactTerms: [[{ exactTerms: 'blue harbour' }, /"blue harbour"/]],
  excludeTerms: [[{ excludeTerms: 'zebra' }, /(^|\s)-"?zebra"?(\s|$)/]],
  orTerms: [[{ orTerms: 'apple pear' }, /\(apple OR pear\)/]],
  fileType: [[{ fileType: 'pdf' }, /(^|\s)filetype:pdf(\s|$)/]],
  lowRange: [[{ lowRange: '5', highRange: '9' }, /(^|\s)5\.\.9(\s|$)/]],
}

/** Values of `dateRestrict` for different spans. */
const SPANS = [
  ['d1', 'd3'],
  ['w1', 'w2'],
  ['m1', 'm5'],
  ['y1', 'y4'],
] as const

/** Search, and its first request. */
interface Sent {
  readonly found: SearchOutcome
  readonly request: Received | undefined
  /** Parts of the request that parameters can change. */
  readonly form: string
}

async function send(target: RemoteSearchTarget, wanted: SearchParameters): Promise<Sent> {
  hold(target, resultsOf(10))
  const found = await target.harness.search({ q: 'gateways', ...wanted })
  const [request] = target.harness.upstream.received
  const { 'content-length': _, ...headers } = request?.headers ?? {}
  return {
    found,
    request,
    form: JSON.stringify([request?.path, [...(request?.query ?? [])].sort(), headers, request?.body]),
  }
}

export const supportsCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'sends the parameters that `supports` names',
  async run(target) {
    const { supports = [] } = target.harness.backend
    const findings: string[] = []
    for (const parameter of supports === 'all' ? PARAMETERS : supports)
      findings.push(...(await unsent(target, parameter)))
    if (isCarried(target, 'siteSearch')) findings.push(...(await exclusionProblems(target)))
    if (isCarried(target, 'dateRestrict')) findings.push(...(await spanProblems(target)))
    return distinct([...findings, ...(await unshown(target))])
  },
}

function isCarried({ harness }: RemoteSearchTarget, parameter: Parameter): boolean {
  const { supports = [] } = harness.backend
  return supports === 'all' || supports.includes(parameter)
}

/** Supported parameter without effect on the request. */
async function unsent(target: RemoteSearchTarget, parameter: Parameter): Promise<string[]> {
  const [first, ...others] = SAMPLES[parameter]
  const own = target.upstream.supports?.[parameter]?.[0]
  const samples = own === undefined ? [first, ...others] : [{ ...first, [parameter]: own }]
  const { [parameter]: _, ...rest } = first
  const without = await send(target, rest)
  for (const sample of samples) {
    const { request, form, found } = await send(target, sample)
    if (!request)
      return [
        `A search with ${queryOf(sample)} did not reach the upstream: ${said(found)}. \`supports\` names \`${parameter}\`.`,
      ]
    if (form !== without.form) return []
  }
  return [
    `\`supports\` names \`${parameter}\`, but a search with ${samples.map(queryOf).join(' or ')} sends the same request as a search without it: add it to the request, or remove it from \`supports\`, so that the loss is declared.`,
  ]
}

/** Checks that excluding a site differs from searching it. */
async function exclusionProblems(target: RemoteSearchTarget): Promise<string[]> {
  const none = await send(target, {})
  const included = await send(target, { siteSearch: 'example.org' })
  const excluded = await send(target, { siteSearch: 'example.org', siteSearchFilter: 'e' })
  const advice = 'read `include` and `exclude` of `siteSearch`'
  if (excluded.form === included.form)
    return [
      `A search that excludes a site (siteSearchFilter=e) sends the same request as a search of that site: ${advice}.`,
    ]
  if (excluded.form !== none.form || excluded.found.lost.includes('siteSearch')) return []
  return [
    `A search that excludes a site (siteSearchFilter=e) sends the same request as a search of all sites, and headgate-lost does not name it: ${advice}, or add it to \`changes\`.`,
  ]
}

/** Different spans that the vendor treats alike. Allowed if declared. */
async function spanProblems(target: RemoteSearchTarget): Promise<string[]> {
  const findings: string[] = []
  for (const [short, long] of SPANS) {
    const one = await send(target, { dateRestrict: short })
    const other = await send(target, { dateRestrict: long })
    if (one.form !== other.form || one.found.lost.includes('dateRestrict') || other.found.lost.includes('dateRestrict'))
      continue
    findings.push(
      `dateRestrict=${long} sends the same request as dateRestrict=${short}, and headgate-lost names neither: send \`count\` or \`since\`, or declare the approximation in \`changes\`.`,
    )
  }
  return findings
}

/** Parameters that the facts expect in a request, but that are missing. */
async function unshown(target: RemoteSearchTarget): Promise<string[]> {
  const findings: string[] = []
  for (const [parameter, [value, isShown]] of Object.entries(target.upstream.supports ?? {})) {
    const filtered = parameter === 'siteSearchFilter' ? { siteSearch: 'example.org' } : {}
    const { request, found } = await send(target, {
      ...(SAMPLES[parameter as Parameter]?.[0] ?? filtered),
      [parameter]: value,
    })
    if (request && isShown(vendorRequest(request))) continue
    const sent = request
      ? `${request.method} ${request.path}?${request.query} ${JSON.stringify(request.body)}`
      : `nothing (${said(found)})`
    findings.push(
      `The vendor does not see ${parameter}=${value} in the documented place of the request; the request was ${sent}.`,
    )
  }
  return findings
}

export const wordsCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'writes operators into the query, and declares parameters that it cannot send',
  async run(target) {
    const { operators = [] } = target.harness.backend
    const all = Object.keys(WORDS) as Operator[]
    const written = (operators === 'all' ? all : operators).filter((operator) => !isCarried(target, operator))
    const findings: string[] = []
    for (const operator of written) {
      for (const [wanted, due] of WORDS[operator]) {
        const { request, found } = await send(target, wanted)
        const q = request && wordsOf(request, target.upstream)
        if (typeof q === 'string' && due.test(q)) continue
        findings.push(
          `\`operators\` names \`${operator}\`, but the query of a search with ${queryOf(wanted)} is ${JSON.stringify(q)}: send \`q\` unchanged. (${said(found)})`,
        )
      }
    }
    return [...findings, ...(await undeclared(target, written))]
  },
}

/** Parameters that are neither sent nor written into the query must be declared as lost. */
async function undeclared(target: RemoteSearchTarget, written: readonly Operator[]): Promise<string[]> {
  // `siteSearch` is applied to the results; `hq` is part of the query; image search is a separate search and rejected.
  const exempt: readonly Parameter[] = ['siteSearch', 'hq', 'searchType', 'highRange', ...written]
  const due = PARAMETERS.filter((parameter) => !exempt.includes(parameter) && !isCarried(target, parameter))
  const { searchType: _, ...wanted } = Object.assign({}, ...due.map((parameter) => SAMPLES[parameter][0]))
  const { found } = await send(target, wanted)
  if (found.status !== 200) return [`A search with ${queryOf(wanted)} fails: ${said(found)}`]
  return due
    .filter((parameter) => !found.lost.includes(parameter))
    .map(
      (parameter) =>
        `\`${parameter}\` is in neither \`supports\` nor \`operators\`, and headgate-lost does not name it; it names ${found.lost.join(', ') || 'nothing'}.`,
    )
}
