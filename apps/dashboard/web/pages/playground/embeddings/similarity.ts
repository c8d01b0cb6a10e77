import { isRecord, listOf } from '../wire/call.ts'

export type EmbeddingVector = readonly number[]

/** Vectors of a response, in the order of the inputs; undefined = not a valid response. */
export function vectorsOf(answer: unknown): readonly EmbeddingVector[] | undefined {
  const data = isRecord(answer) ? listOf(answer['data']) : []
  const vectors = data.map((one) => (isRecord(one) ? listOf(one['embedding']) : []))
  if (vectors.length === 0 || !vectors.every(isVector)) return undefined
  const [first] = vectors
  return vectors.every(({ length }) => length === first?.length) ? vectors : undefined
}

function isVector(values: readonly unknown[]): values is EmbeddingVector {
  return values.length > 0 && values.every((value) => typeof value === 'number' && Number.isFinite(value))
}

/** Cosine similarity of each pair, from −1 to 1; null if one of the vectors is zero. */
export function similarities(vectors: readonly EmbeddingVector[]): readonly (readonly (number | null)[])[] {
  const lengths = vectors.map((vector) => Math.hypot(...vector))
  return vectors.map((one, row) =>
    vectors.map((other, column) => {
      const product = (lengths[row] ?? 0) * (lengths[column] ?? 0)
      if (product === 0) return null
      return Math.max(-1, Math.min(1, one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0) / product))
    }),
  )
}

/** Indexes of the two most similar inputs. */
export function nearest(table: readonly (readonly (number | null)[])[]): readonly [number, number] | undefined {
  let best: readonly [number, number] | undefined
  let most = Number.NEGATIVE_INFINITY
  for (const [row, values] of table.entries())
    for (const [column, value] of values.entries())
      if (column > row && value !== null && value > most) [best, most] = [[row, column], value]
  return best
}
