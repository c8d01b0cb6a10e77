import type { FailuresQuery, ReadWords, RowsQuery } from '@headgate/store'
import { describe, expect, it } from 'vitest'
import { ORG, openWorld, type Signed, usageRow } from '../support/api.ts'

const HOUR = 3_600_000
const PROMPT = 'a prompt that nobody else may read'
const WORDS: ReadWords = { message: `Failed: ${PROMPT}`, attempts: [undefined, `acme: ${PROMPT}`] }

/** A failed request of a member's key, with its messages. */
async function failedRequest() {
  const world = await openWorld({ parts: { words: { read: async () => WORDS } } })
  const member = await world.person('member')
  const made = await world.accounts.createKey(member.caller, ORG, { name: 'web' })
  const attempt = { provider: 'p', endpoint: null, model: 'm', startedAt: 1, durationMs: 1, cost: '0', priceId: null }
  const attempts = [
    { ...attempt, status: 200, failure: null, code: null },
    { ...attempt, status: 503, failure: 'overloaded', code: 'slow_down' },
  ]
  const row = usageRow({ requestId: 'req_1', principal: made.stored.id, member: member.id, outcome: 'failed' })
  world.parts.usage.byRequest = async () => ({ ...row, attempts, corrections: [] })
  const reads = async (): Promise<readonly unknown[]> => {
    const { body } = await world.owner.ask('GET', '/audit?action=message.read')
    return body['items'] as unknown as readonly unknown[]
  }
  return { world, member, key: made.key, reads }
}

async function bodyOf(who: { ask: Signed['ask'] }) {
  const { status, body, text } = await who.ask('GET', '/usage/req_1')
  expect(status, text).toBe(200)
  return body as unknown as { message?: string; attempts: readonly { words?: string; code: string | null }[] }
}

describe('The messages of a failed request', () => {
  it('are shown to the owner of its key and to the key itself, without a trace in the audit log', async () => {
    const { world, member, key, reads } = await failedRequest()
    for (const who of [member, world.withKey(key)]) {
      const { message, attempts } = await bodyOf(who)
      expect(message).toBe(WORDS.message)
      expect(attempts.map(({ words, code }) => [words, code])).toEqual([
        [undefined, null],
        [`acme: ${PROMPT}`, 'slow_down'],
      ])
    }
    expect(await reads()).toEqual([])
  })

  it.each(['owner', 'admin'] as const)('are shown to an %s, who is then in the audit log, once', async (role) => {
    const { world, reads } = await failedRequest()
    const reader = await world.person(role)
    expect((await bodyOf(reader)).message).toBe(WORDS.message)
    const entries = await reads()
    expect(entries).toMatchObject([
      { action: 'message.read', target: 'req_1', actor: { kind: 'person', id: reader.id } },
    ])
    expect(JSON.stringify(entries)).not.toContain(PROMPT)
  })

  it('are not shown to a viewer, another member or another key', async () => {
    const { world, reads } = await failedRequest()
    const viewer = await bodyOf(await world.person('viewer'))
    expect(JSON.stringify(viewer)).not.toContain(PROMPT)
    expect(viewer.attempts[1]).toMatchObject({ code: 'slow_down' })
    const other = await world.person('member')
    const { key } = await world.accounts.createKey(other.caller, ORG, { name: 'other' })
    for (const who of [other, world.withKey(key)]) {
      const { status, text } = await who.ask('GET', '/usage/req_1')
      expect([status, text.includes(PROMPT)]).toEqual([404, false])
    }
    expect(await reads()).toEqual([])
  })
})

describe('The list of requests', () => {
  it.each<[string, Partial<RowsQuery>]>([
    ['model=a,b', { filters: { model: { values: ['a', 'b'] } } }],
    ['model=!a,b', { filters: { model: { values: ['a', 'b'], isNot: true } } }],
    ['model=!a', { filters: { model: { values: ['a'], isNot: true } } }],
    ['model=a%252Cb,c', { filters: { model: { values: ['a,b', 'c'] } } }],
    ['status=429,500', { filters: { status: { values: [429, 500] } } }],
    ['outcome=failed,cut', { filters: { outcome: { values: ['failed', 'cut'] } } }],
    ['stream=true&user=ada', { filters: { stream: true, user: 'ada' } }],
    ['minCost=0.25&maxCost=1', { filters: { cost: { least: 250_000_000, most: 1_000_000_000 } } }],
    ['minMs=10', { filters: { duration: { least: 10 } } }],
    ['maxTokens=5', { filters: { tokens: { most: 5 } } }],
    ['refused=false', { filters: {}, refused: false }],
    [`sort=cost&from=0&to=${HOUR}`, { filters: {}, sort: 'cost', from: 0, to: HOUR }],
  ])('is filtered by ?%s', async (query, expected) => {
    const { owner, asked } = await openWorld()
    const { status, text } = await owner.ask('GET', `/usage?${query}`)
    expect(status, text).toBe(200)
    expect(asked.at(-1)).toMatchObject(expected)
    expect(asked.at(-1)?.filters).toEqual(expected.filters)
  })

  it.each([
    ['outcome=lost', 'outcome'],
    ['status=abc', 'status'],
    ['model=a,,b', 'model'],
    [`key=${Array.from({ length: 51 }, (_, number) => number).join()}`, 'key'],
    ['minCost=-1', 'minCost'],
    ['minMs=1.5', 'minMs'],
    ['sort=cost', 'sort'],
    [`sort=cost&from=0&to=${8 * 24 * HOUR}`, 'sort'],
    ['sort=name', 'sort'],
  ])('refuses ?%s and names the parameter', async (query, field) => {
    const { owner, asked } = await openWorld()
    const { status, body } = await owner.ask('GET', `/usage?${query}`)
    expect([status, body['errors']]).toEqual([400, [expect.objectContaining({ field })]])
    expect(asked).toEqual([])
  })

  it('is exported with names, in a file that is named by its days', async () => {
    const { owner, rows } = await openWorld()
    const names = { keyName: 'web, "prod"', projectName: 'Shop', memberName: 'Ada' }
    rows.push(usageRow({ requestId: 'req_1', principal: 'key_1', ...names }))
    const from = Date.UTC(2026, 10, 16)
    const { headers, text } = await owner.ask('GET', `/usage/export?from=${from}&to=${from + 7 * 24 * HOUR}`)
    expect(headers.get('content-disposition')).toBe('attachment; filename="headgate-usage-2026-11-16_2026-11-22.csv"')
    const [head = '', line = ''] = text.split('\r\n')
    expect(head).toContain('key,key_name,project,project_name,environment,member,member_name,')
    expect(line).toContain('key_1,"web, ""prod""",prj_default,Shop,production,,Ada,')
    const day = await owner.ask('GET', `/usage/export?format=ndjson&from=${from}&to=${from + 24 * HOUR}`)
    expect(day.headers.get('content-disposition')).toBe('attachment; filename="headgate-usage-2026-11-16.ndjson"')
  })
})

describe('Failures', () => {
  it('are summed up by kind and group, the most frequent first, of visible keys only', async () => {
    const asked: FailuresQuery[] = []
    const world = await openWorld()
    world.parts.usage.failures = async (query) => {
      asked.push(query)
      return [
        { hour: 0, failure: 'over-limit', name: 'key_1', keyName: 'web', requests: 2, newest: 'req_1' },
        { hour: 0, failure: 'upstream', name: 'key_1', keyName: 'web', requests: 4, newest: 'req_2' },
        { hour: HOUR, failure: 'over-limit', name: 'key_1', keyName: 'web', requests: 39, newest: '' },
      ]
    }
    const member = await world.person('member')
    const path = `/usage/failures?from=0&to=${2 * HOUR}&by=failure,key`
    const { body } = await member.ask('GET', path)
    expect(body).toEqual({
      items: [
        {
          failure: 'over-limit',
          name: 'key_1',
          keyName: 'web',
          requests: 41,
          newest: 'req_1',
          hours: [
            { start: 0, requests: 2 },
            { start: HOUR, requests: 39 },
          ],
        },
        {
          failure: 'upstream',
          name: 'key_1',
          keyName: 'web',
          requests: 4,
          newest: 'req_2',
          hours: [{ start: 0, requests: 4 }],
        },
      ],
      isCut: false,
    })
    expect((await member.ask('GET', `${path}&member=${world.owner.id}`)).body).toEqual({ items: [], isCut: false })
    await world.owner.ask('GET', `${path}&key=key_1`)
    expect(asked).toEqual([
      { from: 0, to: 2 * HOUR, by: 'key', filters: { onlyMember: member.id } },
      { from: 0, to: 2 * HOUR, by: 'key', filters: { key: 'key_1' } },
    ])
    for (const query of [`from=1&to=1`, `from=0&to=${36 * 24 * HOUR}`])
      expect((await member.ask('GET', `/usage/failures?${query}`)).status).toBe(400)
  })

  it('of unknown callers are for admins of the gateway', async () => {
    const world = await openWorld()
    world.parts.usage.unauthenticated = async () => [{ address: '10.0.0.1', reason: 'bad-key', requests: 3, lastAt: 5 }]
    const { body } = await world.owner.ask('GET', '/refusals/unauthenticated')
    expect(body['items']).toEqual([{ address: '10.0.0.1', reason: 'bad-key', requests: 3, lastAt: 5 }])
    for (const role of ['member', 'viewer'] as const)
      expect((await (await world.person(role)).ask('GET', '/refusals/unauthenticated')).status).toBe(403)
  })
})
