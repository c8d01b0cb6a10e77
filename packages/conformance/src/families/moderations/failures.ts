import { type Check, distinct } from '../../checks/check.ts'
import type { FailingFamily } from '../../failures/family-checks.ts'
import { object, objects } from '../../json.ts'
import type { UpstreamReply } from '../../upstream.ts'
import { judging, said } from './results.ts'
import type { ModerationsTarget } from './target.ts'
import { markerOf, moderationsVendor } from './vendor.ts'

export const FAILING_MODERATIONS: FailingFamily<ModerationsTarget> = {
  requests: 'moderation requests',
  topic: 'moderations',
  question: ({ moderations }) => judging(moderations.model),
  error: ({ moderations }) => moderationsVendor(moderations).error,
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
