import { type PostgresServer, startPostgres } from '../../../../tools/postgres.ts'
import { type Deployment, deploy, type Shape } from './deployment.ts'
import { type PaidUpstream, startPaidUpstream } from './paid-upstream.ts'

/** Gateways, and the upstream that they ask. */
export interface Venue {
  readonly deployment: Deployment
  readonly upstream: PaidUpstream
}

export interface OpenVenue extends Venue {
  close(): Promise<void>
}

export type Place = Omit<Shape, 'databaseUrl'> & { readonly isPostgres?: boolean }

export interface VenueOptions {
  /** How long the upstream takes to answer, in milliseconds; 0. */
  readonly delay?: number
}

export const PLACES: readonly Place[] = [
  { name: 'one process over SQLite', nodes: 1, workers: 1 },
  { name: 'three workers over SQLite', nodes: 1, workers: 3 },
  { name: 'three nodes over Postgres', nodes: 3, workers: 1, isPostgres: true },
]

/** Undefined where it needs Postgres, and that is not installed. */
export async function openVenue({
  isPostgres = false,
  delay = 0,
  ...shape
}: Place & VenueOptions): Promise<OpenVenue | undefined> {
  const postgres: PostgresServer | undefined = isPostgres ? await startPostgres() : undefined
  if (isPostgres && !postgres) return undefined
  const upstream = await startPaidUpstream({ delay: () => delay })
  const placed: Shape = { ...shape, ...(postgres && { databaseUrl: postgres.database('budgets') }) }
  const deployment = await deploy(placed, upstream.origin)
  return {
    deployment,
    upstream,
    async close() {
      await deployment.remove()
      await upstream.close()
      postgres?.remove()
    },
  }
}
