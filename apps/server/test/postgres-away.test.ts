import { connect, createServer, type Socket } from 'node:net'
import { openCommandStore } from '@headgate/store'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext, vi } from 'vitest'
import { readBooks, SOUND } from '../../../packages/store/test/books.ts'
import { repeated } from '../../../tools/long-runs.ts'
import { type PostgresServer, startPostgres } from '../../../tools/postgres.ts'
import { startVictim, victimFolder } from './kills/program.ts'
import { startCountingUpstream, startTraffic, type Traffic } from './kills/traffic.ts'
import { run } from './program.ts'
import { API_KEY } from './sdk/gateway.ts'
import { temporaryFolder } from './temporary.ts'

/** Answers that are waited for, of each worker. */
const SOME = 60
/** Times that Postgres stops and starts again. */
const TIMES = repeated(2, 3)

describe('A gateway whose Postgres is stopped and started', { tags: ['full'] }, () => {
  let postgres: PostgresServer | undefined
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres?.remove())

  /** A gateway under load from a configured key and a stored one. Everybody has seen both. */
  const underLoad = async ({ skip }: TestContext, workers: number, way = (url: string) => url) => {
    if (!postgres) {
      process.stderr.write('Postgres is not installed here: NOTHING is shown of a gateway whose Postgres is away.\n')
      return skip('Postgres is not installed')
    }
    const server = postgres
    const upstream = await startCountingUpstream()
    const folder = victimFolder(upstream.origin)
    const { dataDir } = folder
    const databaseUrl = server.database(`away_${workers}_${Date.now()}`)
    const archive = await openCommandStore({ dataDir, databaseUrl, onProblem: () => {} })
    const { key } = await archive.keys.create({ name: 'caller', models: ['*'] })
    await archive.close()
    const environment = {
      DATABASE_URL: way(databaseUrl),
      HEADGATE_SECRET: 'secret-of-the-gateways-of-this-test-0123456789',
    }
    const victim = await startVictim({ folder: folder.path, workers, environment })
    const progress = { served: 0, told: () => {} }
    const traffic = startTraffic({
      url: victim.url,
      callers: 2 * workers,
      keys: [API_KEY, key],
      onProgress: (_, served) => {
        progress.served = served
        progress.told()
      },
    })
    onTestFinished(async () => {
      await victim.kill()
      await traffic.stop()
      await upstream.close()
      folder.remove()
    })
    const more = (): Promise<void> => {
      const enough = progress.served + SOME * workers
      return new Promise((resolve) => {
        progress.told = () => progress.served >= enough && resolve()
      })
    }
    const logged = (text: string): number => victim.log().filter((line) => line.includes(text)).length
    await more()
    return {
      server,
      victim,
      traffic,
      more,
      logged,
      progress,
      books: (from: Traffic) => readBooks({ dataDir, databaseUrl }, from.served),
    }
  }

  const limit = { timeout: 600_000 }
  it.for([1, 3])(
    `answers all requests, ${TIMES} times, and has all their rows once: %i worker(s)`,
    limit,
    async (workers, context) => {
      const { server, victim, traffic, more, logged, books } = await underLoad(context, workers)
      for (let time = 1; time <= TIMES; time++) {
        server.stop()
        await more()
        await vi.waitUntil(() => logged('The store does not accept usage rows') >= time * workers, { timeout: 60_000 })
        await more()
        server.start()
        await more()
        await vi.waitUntil(() => logged('The store accepts usage rows again') >= time * workers, { timeout: 60_000 })
      }
      await traffic.stop()
      expect(traffic.failed).toEqual([])
      expect(await victim.stop()).toBe(0)
      expect(await books(traffic)).toEqual(SOUND)
    },
  )

  it.for([1, 3])(
    'and that is killed meanwhile has all rows once when both are back: %i worker(s)',
    limit,
    async (workers, context) => {
      const { server, victim, traffic, more, books } = await underLoad(context, workers)
      server.stop()
      await more()
      expect(traffic.failed).toEqual([])
      await victim.kill()
      await traffic.stop()
      server.start()
      expect(await books(traffic)).toEqual(SOUND)
    },
  )

  it('goes on over new connections where the old ones fall silent', limit, async (context) => {
    const network = await startNetwork()
    const { traffic, more, logged, victim, books } = await underLoad(context, 1, network.way)
    network.fallSilent()
    await more()
    await traffic.stop()
    await vi.waitUntil(() => logged('The store does not accept usage rows') > 0, { timeout: 60_000 })
    await vi.waitUntil(() => logged('The store accepts usage rows again') > 0, { timeout: 60_000 })
    expect(traffic.failed).toEqual([])
    expect(await victim.stop()).toBe(0)
    expect(await books(traffic)).toEqual(SOUND)
  })
})

/** What lies between a gateway and its database. A machine that dies says nothing to whoever waits for it. */
async function startNetwork() {
  const open = new Set<{ readonly near: Socket; readonly far: Socket }>()
  let to = 0
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    for (const socket of [near, far]) socket.on('error', () => {})
    open.add({ near, far })
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const { near, far } of open) for (const socket of [near, far]) socket.destroy()
  })
  return {
    way: (url: string): string => {
      const { port } = new URL(url)
      to = Number(port)
      return url.replace(port, String(Object(server.address()).port))
    },
    /** The database hears that a gateway is gone, and the gateway hears nothing. */
    fallSilent: () => {
      for (const { near, far } of open) {
        near.unpipe().resume()
        far.unpipe().destroy()
      }
    },
  }
}

describe('A gateway whose Postgres is not there at its start', () => {
  it('ends with 1, and says so without what DATABASE_URL holds', async () => {
    const folder = temporaryFolder({ 'headgate.config.json': {} })
    const environment = {
      DATABASE_URL: 'postgres://headgate:password-of-the-database@127.0.0.1:9/headgate',
      HEADGATE_SECRET: 'secret-of-the-gateways-of-this-test-0123456789',
    }
    const { code, stdout, stderr } = await run(['--port', '0'], { folder, environment })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      'headgate: The database of DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:9. It must be running when headgate starts: start it, or correct DATABASE_URL.\n',
    )
  })
})
