import { FAILURES } from '@headgate/core/errors'
import { type Check, distinct } from '../../checks/check.ts'
import type { Failure } from '../../failures/failure.ts'
import { failuresByStatus } from '../../failures/status.ts'
import { transportFailures } from '../../failures/transport.ts'
import { object, objects } from '../../json.ts'
import type { UpstreamReply } from '../../upstream.ts'
import { judging, said } from './results.ts'
import type { ModerationsTarget } from './target.ts'
import { markerOf, moderationsVendor } from './vendor.ts'

/** Shorter than the waits that failures request, longer than any other wait. */
const PATIENCE_MS = 15_000

export const moderationsErrorsCheck: Check<ModerationsTarget> = {
  name: "distinguishes the upstream's failures of moderation requests",
  async run(target) {
    const { error } = moderationsVendor(target.moderations)
    const findings: string[] = []
    for (const failure of [...failuresByStatus(error), ...transportFailures])
      findings.push(...(await fail(target, failure)))
    return distinct(findings)
  },
}

async function fail({ harness, moderations }: ModerationsTarget, failure: Failure): Promise<string[]> {
  const { status } = FAILURES[failure.kind]
  harness.upstream.answer(failure.reply)
  const before = harness.rows.length
  const got = await harness.ask({
    ...judging(moderations.model),
    headers: { 'headgate-timeout-ms': String(PATIENCE_MS) },
  })
  const row = harness.rows.slice(before).at(-1)
  const what = `The upstream's failure "${failure.name}" is "${failure.kind}"`
  const advice = harness.readerAdvice()
  return [
    ...(got.status === status ? [] : [`${what}, so callers get status ${status}; they got ${said(got)} ${advice}`]),
    ...(row?.failure === failure.kind && !row.billed
      ? []
      : [`${what}; the usage row has ${row?.failure ?? 'nothing'}. ${advice}`]),
  ]
}

/** Responses without a classification. If one passed, harmful content would look harmless. */
export const brokenModerationsCheck: Check<ModerationsTarget> = {
  name: 'never takes a failure for a harmless content',
  async run({ harness, moderations }) {
    const { write, error } = moderationsVendor(moderations)
    const findings: string[] = []
    const expect = async (what: string, reply: UpstreamReply | ((body: object) => object), input?: unknown) => {
      harness.upstream.answer((request) =>
        typeof reply === 'function'
          ? { kind: 'whole', body: reply(write({ results: [['hate']], tokens: 1 }, request)) }
          : reply,
      )
      const got = await harness.ask(judging(moderations.model, input))
      const isHarmless = objects(object(got.body)['results']).some(({ flagged }) => flagged !== true)
      if (got.status < 400 && (isHarmless || input !== undefined))
        findings.push(
          `For ${what}, callers get ${said(got)} Expected: an error; \`moderations.response\` must throw without a classification.`,
        )
    }
    const text = `A ${markerOf('hate')} text`
    const bodies: readonly (readonly [string, object])[] = [
      ['an empty response', {}],
      ['an empty list of results', { results: [] }],
      ['an error with status 200', error(500, 'The service is overloaded.')],
      ...(moderations.failures ?? []).map(({ name, body }) => [name, body] as const),
    ]
    for (const [what, body] of bodies) await expect(what, { kind: 'whole', body })
    for (const [what, body] of [
      ['an empty body', ''],
      ['a page of a proxy', '<html>blocked</html>'],
    ] as const)
      await expect(what, { kind: 'whole', body })
    await expect('a response whose values are all empty', emptied)
    await expect('fewer results than contents', (body) => body, moderations.most === 1 ? undefined : [text, text])
    return distinct(findings)
  },
}

/** Copy of a structure, with null as each value. */
function emptied(value: unknown): object {
  const empty = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(empty)
    if (typeof one === 'object' && one !== null)
      return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, empty(inner)]))
    return null
  }
  return empty(value) as object
}

/** Places where a message of the upstream could expose the key. */
export const moderationsSecrecyCheck = (secrets: readonly string[]): Check<ModerationsTarget> => ({
  name: 'keeps its key out of errors and warnings about moderations',
  async run({ harness, moderations }) {
    const { error } = moderationsVendor(moderations)
    const echo = `The key ${secrets.join(' ')} (Bearer ${secrets[0]}) is not known.`
    const headers = { 'set-cookie': `key=${secrets[0]}`, 'x-key': secrets.join(' ') }
    for (const status of [400, 401, 403, 404, 429, 500]) {
      harness.upstream.answer({ kind: 'whole', status, headers, body: error(status, echo) })
      await harness.ask(judging(moderations.model))
    }
    const told = harness.said.filter((one) => secrets.some((secret) => one.includes(secret)))
    return told.length === 0 ? [] : [`The provider's key was exposed ${told.length} times: remove it in \`readError\`.`]
  },
})
