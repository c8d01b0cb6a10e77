import { distinct } from '../../../checks/check.ts'
import { show } from '../../../show.ts'
import type { UpstreamReply } from '../../../upstream.ts'
import { nodesOf, put, showPath } from '../body.ts'
import type { SearchOutcome } from '../harness.ts'
import { resultsOf } from '../results.ts'
import { jsonReply } from '../vendor.ts'
import { type RemoteSearchTarget, type SearchCheck, said } from './check.ts'
import { madeUp, shapeProblems } from './fields.ts'

/** Unreadable responses with status 200. */
const UNUSABLE: readonly [string, UpstreamReply][] = [
  ['`null`', jsonReply('null')],
  ['a JSON string', jsonReply('"text"')],
  ['a number', jsonReply('7')],
  ['nothing', jsonReply('')],
  ['truncated JSON', jsonReply('{"results": [{"url": "https://exa')],
  [
    'an HTML page',
    { kind: 'whole', headers: { 'content-type': 'text/html' }, body: '<html><body>Please wait</body></html>' },
  ],
  ['a connection that breaks before the last byte', { kind: 'whole', body: { broken: 'off' }, cut: true }],
]
/** JSON responses without content. */
const SILENT: readonly [string, UpstreamReply][] = [
  ['`{}`', jsonReply('{}')],
  ['`[]`', jsonReply('[]')],
]
/** Values of wrong types. */
const WRONG: readonly unknown[] = [7001, 'text', null, [['list']], { of: 'another kind' }, true]
/** Values of the short test scope. */
const FEW = WRONG.filter((_, index) => index % 2 === 0)

export const brokenCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'treats broken responses as failures, and invents no results from them',
  async run(target) {
    const findings: string[] = []
    for (const [what, reply] of UNUSABLE) {
      const found = await answered(target, reply)
      if (found.status !== 500)
        findings.push(
          `When the upstream responds with ${what}, callers get ${said(found)}; expected 500: do not turn it into an empty list.`,
        )
      findings.push(...problemsOf(target, found, what, []))
    }
    for (const [what, reply] of SILENT) findings.push(...problemsOf(target, await answered(target, reply), what, []))
    return distinct([...findings, ...(await fieldProblems(target))])
  },
}

function answered({ harness }: RemoteSearchTarget, reply: UpstreamReply): Promise<SearchOutcome> {
  harness.upstream.answer(reply)
  return harness.search({ q: 'gateways' })
}

/** Replaces every field in turn by values of other types. */
async function fieldProblems(target: RemoteSearchTarget): Promise<string[]> {
  const results = resultsOf(2)
  const whole: unknown = target.upstream.write(results, { more: false, total: results.length, query: 'gateways' })
  const links = results.map(({ url }) => url)
  const findings: string[] = []
  for (const [path, right] of nodesOf(whole)) {
    for (const wrong of (target.scope === 'short' ? FEW : WRONG).filter(
      (value) => typeof value !== typeof right || value === null,
    )) {
      const found = await answered(target, jsonReply(Object(put(whole, path, wrong))))
      findings.push(...problemsOf(target, found, `${show(wrong)} as \`${showPath(path)}\``, links))
    }
    if (findings.length > 0) return findings
  }
  return findings
}

/** Problems of a caller's response to a broken upstream response with these links. */
function problemsOf(
  { harness, upstream }: RemoteSearchTarget,
  found: SearchOutcome,
  what: string,
  links: readonly string[],
): string[] {
  const where = `When the upstream responds with ${what}`
  if (harness.rows.at(-1)?.failure === 'internal' || (found.status !== 200 && found.status !== 500))
    return [
      `${where}, the gateway itself fails: ${said(found)}. Check the type of each field: strings, numbers, and \`items\` as a list.`,
    ]
  if (found.status !== 200) return []
  const { items } = found.answer
  const invented = items.find(({ link }) => !links.includes(link))
  const made = items.map(madeUp).find((text) => text !== undefined)
  return [
    ...(invented
      ? [
          `${where}, callers get the result ${show(invented)}, which the response does not have: omit results without a link.`,
        ]
      : []),
    ...(made === undefined ? [] : [`${where}, callers read ${show(made)}: omit values that are not strings.`]),
    ...shapeProblems(found.answer, upstream).map((problem) => `${where}, ${problem}. Check the type of each field.`),
  ]
}
