import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../tools/postgres.ts'
import { type Started, start } from './program.ts'
import { temporaryFolder } from './temporary.ts'
import { startUpstream } from './upstream.ts'

const HEADGATE_SECRET = 'secret-of-the-gateways-of-this-test-0123456789'

async function statusesOf({ url }: Started, count: number): Promise<number[]> {
  const statuses: number[] = []
  const body = JSON.stringify({ model: 'model-1', messages: [{ role: 'user', content: 'hello' }], max_tokens: 10 })
  const headers = { authorization: 'Bearer sk-limited', 'content-type': 'application/json' }
  for (let nth = 0; nth < count; nth++) {
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    await answer.text()
    statuses.push(answer.status)
  }
  return statuses
}

describe('Two programs over one Postgres, without Redis', { tags: ['full'] }, () => {
  let postgres: PostgresServer | undefined
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.remove())

  it('hold a limit of requests together, one with workers and one without', { timeout: 240_000 }, async ({ skip }) => {
    if (!postgres) {
      process.stderr.write('Postgres is not installed here: NOTHING is shown of limits that nodes share through it.\n')
      return skip('Postgres is not installed')
    }
    const environment = { DATABASE_URL: postgres.database(`rates_${Date.now()}`), HEADGATE_SECRET }
    const { baseUrl } = await startUpstream()
    const mine = { adapter: 'openai-compatible', baseUrl, apiKey: 'upstream-secret', models: ['model-1'] }
    const keys = [{ key: 'sk-limited', limits: { requestsPerMinute: 40 } }]
    const config = { 'headgate.config.json': { providers: { mine }, keys } }
    const programs = await Promise.all(
      ['2', '1'].map((workers) =>
        start({ folder: temporaryFolder(config), environment, args: ['--no-print-key', '--workers', workers] }),
      ),
    )
    const callers = programs.flatMap((program) => Array.from({ length: 4 }, () => statusesOf(program, 15)))
    const statuses = (await Promise.all(callers)).flat()
    const served = statuses.filter((status) => status === 200).length
    expect(served).toBeLessThanOrEqual(40)
    expect(served).toBeGreaterThanOrEqual(36)
    expect(statuses.filter((status) => status === 429)).toHaveLength(120 - served)
    for (const program of programs) {
      const answer = await fetch(`${program.url}/readyz`)
      expect(await answer.json()).toEqual({ status: 'ready' })
      expect(await program.stop()).toBe(0)
    }
  })
})
