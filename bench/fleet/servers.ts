import { startPostgres } from '../../tools/postgres.ts'
import { startRedis } from '../../tools/redis.ts'
import type { FleetServers } from './deployment.ts'
import { startLoggingUpstream } from './upstream.ts'

/** Servers of a benchmark, and their end. */
export interface OpenServers {
  readonly servers: FleetServers
  close(): Promise<void>
}

/** Starts the servers. Undefined if Postgres is not installed; without Redis if that is not installed. */
export async function openServers({ withRedis }: { readonly withRedis: boolean }): Promise<OpenServers | undefined> {
  const postgres = await startPostgres()
  if (!postgres) return undefined
  const redis = withRedis ? await startRedis() : undefined
  const upstream = await startLoggingUpstream()
  return {
    servers: { upstream, postgres, redis },
    async close() {
      await upstream.close()
      await redis?.remove()
      postgres.remove()
    },
  }
}
