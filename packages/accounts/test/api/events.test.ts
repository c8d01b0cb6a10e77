import type { OwnedUsage, SeriesQuery } from '@headgate/store'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openWorld, type Signed, usageRow, type WorldOptions } from '../support/api.ts'
import { SYSTEM } from '../support/opened.ts'

const HOUR = 3_600_000

interface Heard {
  readonly event: string
  readonly id: string
  readonly data: Record<string, unknown>
}

/** What has been used, by the hour that it began in. */
interface Used {
  readonly hour: number
  readonly project: string
  readonly member: string | null
  readonly requests: number
}

async function world(options: WorldOptions = {}) {
  const used: Used[] = []
  const rows: OwnedUsage[] = []
  const versions: Record<string, number> = { keys: 1 }
  const asked: SeriesQuery[] = []
  const usage = {
    rows: async () => ({ rows }),
    byRequest: async () => undefined,
    each: async function* () {},
    latency: async () => null,
    recentUse: async () => [],
    refusalsByBudget: async () => [],
    minutes: async () => ({ minutes: [], refusals: {}, firstByteMs: null }),
    failures: async () => [],
    unauthenticated: async () => [],
    groups: async () => [],
    explain: async () => ({ since: 0, requests: 0, losses: [], saved: [], caches: [] }),
    namesOf: async () => ({}),
    upstreamTotals: async () => [],
    dayZone: async () => 'UTC',
    series: async (query: SeriesQuery) => {
      asked.push(query)
      return used
        .filter(({ member }) => [undefined, member].includes(query.filters?.member))
        .map(({ hour, project, requests }) => ({ start: hour, names: [project], counts: { requests } }) as never)
    },
  }
  const opened = await openWorld({ ...options, parts: { usage, versions: async () => versions, ...options.parts } })
  onTestFinished(() => opened.api.close())
  return { ...opened, used, rows, versions, asked }
}

/** Listens, and hears one message after the other. */
async function listen(
  { api }: Awaited<ReturnType<typeof world>>,
  who: Signed,
  query = '',
  headers: Record<string, string> = {},
) {
  const request = new Request(`http://localhost:8787/api/v1/events${query}`, {
    headers: { cookie: `headgate=${who.token}`, ...headers },
  })
  const response = await api.fetch(request, { address: '10.1.1.1' })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const next = async (): Promise<string | undefined> => (await reader?.read())?.value
  return {
    response,
    raw: next,
    leave: () => reader?.cancel(),
    async heard(): Promise<Heard> {
      const fields = Object.fromEntries(
        ((await next()) ?? '').split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)),
      )
      return { event: fields.event, id: fields.id, data: JSON.parse(fields.data ?? '{}') }
    },
  }
}

const second = () => vi.advanceTimersByTimeAsync(1_000)

describe('What changes', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
  })

  it('is told as it changes: how many requests have ended, and that keys are other ones', async () => {
    const opened = await world()
    const hour = Math.floor((opened.parts.now ?? Date.now)() / HOUR) * HOUR
    const { response, heard } = await listen(opened, opened.owner, '?topics=requests,keys')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    expect(response.headers.has('content-disposition')).toBe(false)
    expect(await heard()).toMatchObject({ event: 'ready', data: { topics: ['requests', 'keys'] } })

    opened.used.push({ hour, project: 'prj_default', member: null, requests: 3 })
    opened.rows.push(usageRow({ requestId: 'req_3', principal: 'key_1' }))
    await second()
    expect(await heard()).toMatchObject({ event: 'requests', data: { count: 3, newest: 'req_3' } })
    // One that began in the hour before ends late.
    opened.used.push({ hour: hour - HOUR, project: 'prj_default', member: null, requests: 1 })
    opened.versions['keys'] = 2
    opened.versions['budgets'] = 7
    await second()
    expect(await heard()).toMatchObject({ event: 'requests', data: { count: 1 } })
    expect(await heard()).toMatchObject({ event: 'keys', data: { version: 2 } })
  })

  it('is told to those who come back, as far as they have not heard it', async () => {
    const opened = await world()
    const hour = Math.floor((opened.parts.now ?? Date.now)() / HOUR) * HOUR
    const first = await listen(opened, opened.owner)
    const { id } = await first.heard()
    await first.leave()
    opened.used.push({ hour, project: 'prj_default', member: null, requests: 2 })
    opened.versions['prices'] = 1
    const again = await listen(opened, opened.owner, '', { 'last-event-id': id })
    expect((await again.heard()).event).toBe('ready')
    await second()
    expect(await again.heard()).toMatchObject({ event: 'requests', data: { count: 2 } })
    expect(await again.heard()).toMatchObject({ event: 'prices', data: { version: 1 } })
    // A browser can not set that header of a new connection.
    const taken = await listen(opened, opened.owner, `?after=${id}`)
    expect((await taken.heard()).event).toBe('ready')
    await second()
    expect(await taken.heard()).toMatchObject({ event: 'requests', data: { count: 2 } })
    // What is no id is as if there was none.
    for (const odd of ['x', 'bnVsbA', Buffer.from('{"requests":{"hour":"x"},"keys":[]}').toString('base64url')])
      expect((await (await listen(opened, opened.owner, '', { 'last-event-id': odd })).heard()).event).toBe('ready')
  })

  it('is of those who hear it: members hear of their own requests, organizations of their projects', async () => {
    const opened = await world()
    const hour = Math.floor((opened.parts.now ?? Date.now)() / HOUR) * HOUR
    const member = await opened.person('member')
    const other = await opened.accounts.createOrganization(SYSTEM, 'Other')
    const stranger = await opened.person('owner', other.id)
    const all = [opened.owner, member, stranger]
    const streams = await Promise.all(all.map((who) => listen(opened, who, '?topics=requests')))
    for (const one of streams) await one.heard()
    opened.used.push(
      { hour, project: 'prj_default', member: null, requests: 4 },
      { hour, project: 'prj_default', member: member.id, requests: 1 },
    )
    await second()
    const [ofOwner, ofMember] = streams
    expect([(await ofOwner?.heard())?.data['count'], (await ofMember?.heard())?.data['count']]).toEqual([5, 1])
    opened.versions['keys'] = 9
    await vi.advanceTimersByTimeAsync(14_000)
    // Nothing but that the connection lives.
    expect(await streams[2]?.raw()).toBe(': alive\n\n')
  })

  it('is looked up once for all who listen, and by nobody when nobody does', async () => {
    const opened = await world()
    const streams = await Promise.all([1, 2, 3].map(() => listen(opened, opened.owner, '?topics=requests')))
    opened.asked.length = 0
    await second()
    expect(opened.asked).toHaveLength(1)
    await Promise.all(streams.map(({ leave }) => leave()))
    opened.asked.length = 0
    await second()
    expect(opened.asked).toHaveLength(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends with the session, and the membership, which listening does not keep alive', async () => {
    const opened = await world()
    const [leaver, removed] = [await opened.person('admin'), await opened.person('admin')]
    const streams = [await listen(opened, leaver), await listen(opened, removed)]
    for (const one of streams) await one.heard()
    const { db } = opened.accounts.parts.connection
    const seen = () =>
      db.selectFrom('sessions').select('seen_at').where('id', '=', leaver.caller.session).executeTakeFirst()
    const before = await seen()
    await vi.advanceTimersByTimeAsync(15_000)
    for (const one of streams) expect(await one.raw()).toBe(': alive\n\n')
    expect(await seen()).toEqual(before)
    await opened.accounts.endSession(leaver.caller)
    await opened.accounts.removeMember(opened.owner.caller, 'org_default', removed.id)
    await vi.advanceTimersByTimeAsync(15_000)
    for (const one of streams) expect(await one.raw()).toBeUndefined()
  })

  it('is told to five pages of a session at most', async () => {
    const opened = await world()
    const streams = await Promise.all([1, 2, 3, 4, 5].map(() => listen(opened, opened.owner)))
    const sixth = await listen(opened, opened.owner)
    expect([sixth.response.status, sixth.response.headers.get('retry-after')]).toEqual([429, '15'])
    await streams[0]?.leave()
    expect((await listen(opened, opened.owner)).response.status).toBe(200)
  })

  it('ends when the program does, and is not asked for by what there is not', async () => {
    const opened = await world()
    const stream = await listen(opened, opened.owner)
    await stream.heard()
    opened.api.close()
    expect(await stream.raw()).toBeUndefined()
    expect((await listen(opened, opened.owner, '?topics=secrets')).response.status).toBe(400)
  })

  it('goes on when the store was away', async () => {
    const opened = await world()
    const { heard } = await listen(opened, opened.owner, '?topics=keys')
    await heard()
    opened.parts.usage.series = () => Promise.reject(new Error('away'))
    const versions = opened.versions
    Object.defineProperty(versions, 'keys', {
      configurable: true,
      get: () => {
        throw new Error('away')
      },
    })
    await second()
    await second()
    expect(opened.problems).toEqual([expect.stringContaining('Changes cannot be reported until the store responds')])
    Object.defineProperty(versions, 'keys', { value: 5 })
    await second()
    expect(await heard()).toMatchObject({ event: 'keys', data: { version: 5 } })
  })
})
