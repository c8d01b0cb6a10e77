import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
  type TransactionSettings,
} from 'kysely'
import type { Pool } from 'pg'
import type { StoreTables } from '../schema/tables.ts'

export interface PostgresConnection<All = StoreTables> {
  readonly kind: 'postgres'
  readonly db: Kysely<All>
  readonly tables?: All
  close(): Promise<void>
}

/** Maximum connections of a thread, by default: one for a long statement, and one for what cannot wait for it. */
export const CONNECTIONS = 2
/** Time limits of connecting, including the wait for a free connection, in milliseconds. */
const CONNECT = 5_000
/** Time limits of a statement and of a silent transaction, in milliseconds. */
const LIMITS = { statement_timeout: 5_000, idle_in_transaction_session_timeout: 60_000 } as const

/** Postgres type ids: `int8`, and the type of its sums. */
const INTEGERS: ReadonlySet<number> = new Set([20, 1700])

/** Creates a pool that connects at the first query. Integers and their sums are BigInt. */
export async function openPostgres<All>(
  url: string,
  { connections = CONNECTIONS }: { readonly connections?: number | undefined } = {},
): Promise<PostgresConnection<All>> {
  const { default: pg } = await import('pg')
  const createPool = (limits: Partial<typeof LIMITS>): Pool => {
    const pool = new pg.Pool({
      connectionString: url,
      application_name: 'headgate',
      max: connections,
      connectionTimeoutMillis: CONNECT,
      types: {
        getTypeParser: (type: number, format?: 'text' | 'binary') =>
          INTEGERS.has(type) && format !== 'binary' ? integer : pg.types.getTypeParser(type, format),
      },
      ...limits,
    })
    // An idle connection failed. The pool replaces it, and the next query reports a persistent problem.
    pool.on('error', () => undefined)
    // Postgres can end a connection between two queries of a transaction. The next query reports it.
    pool.on('connect', (client) => void client.on('error', () => undefined))
    return pool
  }
  return postgresOver(new LimitedDialect(createPool))
}

/** Store over any Postgres dialect that reads `int8` and `numeric` as BigInt. */
export function postgresOver<All = StoreTables>(dialect: Dialect): PostgresConnection<All> {
  const db = new Kysely<All>({ dialect })
  return { kind: 'postgres', db, close: () => db.destroy() }
}

/** Whole number of Postgres, with or without zero decimals. */
export function integer(text: string): bigint {
  return BigInt(text.replace(/\.0*$/, ''))
}

/** True if a pooler in front of Postgres accepts no time limits when a client connects. */
function isParameterRefusal(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('unsupported startup parameter')
}

/** Pool whose time limits apply to its sessions, or to each transaction if a pooler refuses them. */
class LimitedPool implements PostgresPool {
  #pool: Pool
  readonly #create: (limits: Partial<typeof LIMITS>) => Pool
  /** True if sessions have no time limits, since they belong to a pooler. */
  isPooled = false

  constructor(create: (limits: Partial<typeof LIMITS>) => Pool) {
    this.#create = create
    this.#pool = create(LIMITS)
  }

  get options(): object {
    return this.#pool.options
  }

  async connect(): Promise<PostgresPoolClient> {
    try {
      return await this.#pool.connect()
    } catch (error) {
      if (!isParameterRefusal(error)) throw error
      // The refused pool has no connections to close.
      if (!this.isPooled) this.#pool = this.#create({})
      this.isPooled = true
      return this.#pool.connect()
    }
  }

  end(): Promise<void> {
    return this.#pool.end()
  }
}

class LimitedDialect extends PostgresDialect {
  readonly #pool: LimitedPool

  constructor(create: (limits: Partial<typeof LIMITS>) => Pool) {
    const pool = new LimitedPool(create)
    super({ pool })
    this.#pool = pool
  }

  override createDriver(): Driver {
    return new LimitedDriver({ pool: this.#pool }, this.#pool)
  }
}

class LimitedDriver extends PostgresDriver {
  readonly #pool: LimitedPool

  constructor(config: PostgresDialectConfig, pool: LimitedPool) {
    super(config)
    this.#pool = pool
  }

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await super.beginTransaction(connection, settings)
    if (!this.#pool.isPooled) return
    // Settings of a session would reach other clients of the pooler.
    const limits = Object.entries(LIMITS).map(([name, value]) => `SET LOCAL ${name} = ${value}`)
    await connection.executeQuery(CompiledQuery.raw(limits.join('; ')))
  }
}
