import { int, json, table, text } from './declare.ts'

/**
 * Rate limits that several nodes share. The rows are worth nothing after a minute, so Postgres does not log them: a
 * crash of the server empties the tables, and nodes see that by another `rate_instance`. Unused in SQLite.
 */
export const RATE_TABLES = {
  /** Window of one unit of a limit. Its row is locked while a node exchanges with it. */
  rate_windows: table({
    columns: {
      /** Key of the window; a hash if it is long. */
      key: text,
      /** Amounts by slot: `[[slot, amount], …]`. */
      amounts: json,
      /** Last exchange that changed it, Unix milliseconds. */
      used_at: int,
    },
    key: ['key'],
    unlogged: true,
  }),

  /** Concurrent requests of a limit. */
  rate_places: table({
    columns: {
      key: text,
      /** Places by node: `[[node, places], …]`. */
      places: json,
      used_at: int,
    },
    key: ['key'],
    unlogged: true,
  }),

  /** Last exchange of each node. */
  rate_nodes: table({ columns: { node: text, seen_at: int }, key: ['node'], unlogged: true }),

  /** Id of the data in these tables, in one row. */
  rate_instance: table({ columns: { name: text, id: text }, key: ['name'], unlogged: true }),
}
