import { int, json, maybe, table, text, textOf } from './declare.ts'

/** Receivers of alerts that people have entered. Times are Unix milliseconds. */
export const ALERT_TABLES = {
  alert_destinations: table({
    columns: {
      id: text,
      name: text,
      kind: textOf<'webhook' | 'slack' | 'teams' | 'mail'>(),
      /** Encrypted URL or mail address. */
      sealed: text,
      /** Host or mail address, for people. */
      shown: text,
      /** Rules: what is alerted. */
      rules: json,
      /** Id of a user; null = unknown. */
      created_by: maybe(text),
      created_at: int,
      version: int,
    },
    key: ['id'],
  }),

  /** Rules whose limit is exceeded now. */
  alert_firings: table({
    columns: { destination: text, topic: text, since: int },
    key: ['destination', 'topic'],
    clustered: true,
  }),
}
