import { int, json, maybe, table, text, uuid } from './declare.ts'

/** Budgets. Amounts are nano-dollars, times Unix milliseconds. */
export const BUDGET_TABLES = {
  budgets: table({
    columns: {
      id: text,
      scope: text,
      owner: text,
      name: text,
      limit_nanos: int,
      period: text,
      zone: text,
      soft: int,
      counts: text,
      /** `config` for a budget of the configuration, else `store`. */
      source: text,
      created_at: int,
      removed_at: maybe(int),
      /** Version of the topic `budgets` of `changes` at its last change. */
      version: int,
    },
    key: ['id'],
    indexes: { by_owner: '(owner, scope)', by_version: '(version)' },
  }),

  /** Spending in one window of a budget. */
  budget_windows: table({
    columns: {
      budget: text,
      win: text,
      starts_at: int,
      /** Null = never. */
      ends_at: maybe(int),
      spent: int,
      /** Sum of the remaining leases of process runs, in addition to `spent`. */
      leased: int,
      /** Number that increases whenever process runs must return unused leases. */
      recall: int,
    },
    key: ['budget', 'win'],
    clustered: true,
  }),

  /** Lease of a process run in a window. */
  budget_leases: table({
    columns: {
      budget: text,
      win: text,
      run: text,
      granted: int,
      /** Part of it that its stored rows have used; more than `granted` if a worst-case cost was too low. */
      used: int,
      /** Number and amount of the process run's last change: repeating it changes nothing. */
      seq: int,
      delta: int,
      /** Last recall that it has answered. */
      answered: int,
      /** Usage row that holds the rest of it as spent, because its process run is lost; null = none. */
      lost_row: maybe(uuid),
      /** `at` of that row. */
      lost_at: maybe(int),
    },
    key: ['budget', 'win', 'run'],
    clustered: true,
    indexes: { by_run: '(run)', by_lost_row: '(lost_row) WHERE lost_row IS NOT NULL' },
  }),

  /** Request in progress of a process run that stores its begin records. */
  budget_begins: table({
    columns: {
      run: text,
      /** Id of the usage row that the request will have. */
      id: text,
      /** Begin records of the journal, one per upstream call. */
      begins: json,
    },
    key: ['run', 'id'],
    clustered: true,
  }),

  /** Alert for a spent percentage of a budget, with a snapshot of the budget. */
  budget_alerts: table({
    columns: {
      /** Derived from budget, window, percentage and limit. */
      id: text,
      budget: text,
      win: text,
      ends_at: maybe(int),
      percent: int,
      name: text,
      scope: text,
      owner: text,
      soft: int,
      limit_nanos: int,
      spent: int,
      at: int,
      /** Number of delivery attempts. */
      tries: int,
      /** Earliest next attempt; null = no further attempt. */
      next_at: maybe(int),
      /** Time of delivery. */
      done_at: maybe(int),
    },
    key: ['id'],
    indexes: { by_turn: '(next_at) WHERE next_at IS NOT NULL', by_time: '(at)' },
  }),

  /** Process runs that lease budgets. */
  process_runs: table({
    columns: {
      id: text,
      /** Host name of its machine. */
      node: text,
      seen_at: int,
      /**
       * `open`; `closed`: its journal is completely ingested; `orphaned`: part of its journal is lost; `lost`: it had no
       * heartbeat for a minute, and its leases count as spent.
       */
      state: text,
    },
    key: ['id'],
    indexes: { by_heartbeat: "(seen_at) WHERE state <> 'closed'" },
  }),

  /**
   * Amount of a row of `usage` in a window of a budget. Sums are checked against it, and a row that arrives twice
   * counts once.
   */
  usage_budgets: table({
    columns: {
      at: int,
      usage_id: uuid,
      budget: text,
      win: text,
      amount: int,
      /** Part of `amount` that is held for unknown costs. */
      held: int,
    },
    key: ['at', 'usage_id', 'budget', 'win'],
    clustered: true,
  }),

  /** Held amount of a key in a window: the sum of `held` in `usage_budgets`, by process run. */
  budget_held: table({
    columns: {
      budget: text,
      win: text,
      /** Id of the key. */
      principal: text,
      /** Process run that wrote the rows; empty for corrections. */
      run: text,
      held: int,
    },
    key: ['budget', 'win', 'principal', 'run'],
    clustered: true,
  }),
}
