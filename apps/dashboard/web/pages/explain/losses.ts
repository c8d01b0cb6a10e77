import type { ExplainAnswer } from '../../api/spend.ts'
import type { LossGroup } from './search.ts'

type LossEntry = ExplainAnswer['losses'][number]

/** Lost fields of one field, or of one client: a key and the format that it calls. */
export interface LossRow {
  readonly id: string
  /** Field, or name of the key. */
  readonly name: string
  readonly format: string | undefined
  /** Reasons, or fields. */
  readonly details: readonly string[]
  /** Clients or fields. */
  readonly others: number
  /** Number of requests; at least, for clients: one request can lose several fields. */
  readonly requests: number
  /** ID of the key, for clients. */
  readonly key: string | undefined
}

/** Lost fields by field or by client, the most frequent first. */
export function lossRows(losses: readonly LossEntry[], by: LossGroup): readonly LossRow[] {
  const groups = Map.groupBy(losses, (loss) => (by === 'field' ? loss.path : JSON.stringify([loss.key, loss.format])))
  const rows = [...groups].map(([id, of]): LossRow => {
    const [first] = of
    const isField = by === 'field'
    const details = isField ? of.map(({ kind, reason }) => `${kind}: ${reason}`) : of.map(({ path }) => path)
    return {
      id,
      name: isField ? id : (first?.keyName ?? first?.key ?? ''),
      format: isField ? undefined : first?.format,
      details: [...new Set(details)],
      others: new Set(of.map(({ path, key, format }) => (isField ? `${key} ${format}` : path))).size,
      // A client that lost a field for several reasons is counted for each of them.
      requests: isField
        ? of.reduce((sum, { requests }) => sum + requests, 0)
        : Math.max(...of.map((one) => one.requests)),
      key: isField ? undefined : first?.key,
    }
  })
  return rows.toSorted((one, other) => other.requests - one.requests)
}
