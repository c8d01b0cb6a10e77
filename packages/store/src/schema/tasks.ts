import type { TaskStatus } from '@headgate/gateway/ports'
import { int, json, maybe, table, text, textOf } from './declare.ts'

/** Tasks and stored responses. Times are Unix milliseconds. */
export const TASK_TABLES = {
  /** Request whose result takes longer than a connection lasts. */
  tasks: table({
    columns: {
      id: text,
      family: text,
      /** Id of a key. */
      owner: text,
      model: text,
      provider: text,
      provider_model: text,
      tier: text,
      status: textOf<TaskStatus>(),
      created_at: int,
      updated_at: int,
      /** Time of the next poll; null = never. */
      next_at: maybe(int),
      /** End of the claim of a process; 0 = not claimed. */
      held_until: int,
      kept_until: maybe(int),
      /** Time of deletion, independent of the status. */
      ends_at: int,
      version: int,
      data: json,
    },
    key: ['id'],
    indexes: {
      // Claimed tasks are due first: the index skips them without reading their rows.
      by_turn: '(family, provider, next_at, held_until) WHERE next_at IS NOT NULL',
      by_end: '(ends_at)',
      by_owner: {
        // All filters of a list are in the index, so that counting thousands of tasks reads no row.
        sqlite: '(owner, family, created_at, id, status, tier, model, provider_model)',
        // Callers choose model names, and Postgres indexes cannot store long ones.
        postgres: '(owner, family, created_at, id)',
      },
    },
    extras: {
      sqlite: [],
      // Rows without their data are small, so that counting thousands reads few pages.
      postgres: ['ALTER TABLE tasks SET (toast_tuple_target = 128)'],
    },
  }),

  /** Time until which granted polls of a provider last, in Unix microseconds. */
  task_paces: table({ columns: { provider: text, spent_until: int }, key: ['provider'] }),

  /** Response that later requests may refer to. */
  answers: table({
    columns: {
      /** Owner as core writes it: a user in a project, a project, or a key. */
      owner: text,
      id: text,
      /** Id of the key. */
      made_by: text,
      /** Provider that stores it; null = this store. */
      provider: maybe(text),
      model: text,
      created_at: int,
      kept_until: int,
      /** Time of deletion. */
      ends_at: int,
      items: json,
      /** Length of `data`, in characters. */
      size: int,
      /** Encrypted; null = stored by the provider, or expired. */
      data: maybe(text),
      /** Id of the key's project; null = none. */
      project: maybe(text),
    },
    key: ['owner', 'id'],
    indexes: {
      // Total size of a key's responses, and expired responses, without reading their rows.
      by_key: '(made_by, created_at, owner, id, size) WHERE data IS NOT NULL',
      by_time: '(kept_until) WHERE data IS NOT NULL',
      by_end: '(ends_at)',
      by_id: '(id)',
    },
  }),

  /** Other names of a response. */
  answer_items: table({
    columns: { owner: text, id: text, answer: text, ends_at: int },
    key: ['owner', 'id'],
    clustered: true,
    indexes: { by_end: '(ends_at)', by_id: '(id)' },
  }),
}
