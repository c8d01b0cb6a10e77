import { type ReactNode, useDeferredValue, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { count } from '../../formats/numbers.ts'

/** Rows that are shown first, and that each click adds. */
const STEP = 50
/** Rows of the first screen. The others are rendered after the rest of the page. */
const FIRST = 10

export interface MoreRowsProps<Row> {
  readonly rows: readonly Row[]
  children(shown: readonly Row[]): ReactNode
}

/** First rows of a list, with a button that shows more. */
export function MoreRows<Row>({ rows, children }: MoreRowsProps<Row>) {
  const [most, setMost] = useState(STEP)
  const shown = useDeferredValue(most, FIRST)
  const left = rows.length - most
  return (
    <>
      {children(rows.slice(0, shown))}
      {left > 0 && (
        <div className="mt-3 flex justify-center">
          <Button onClick={() => setMost(most + STEP)}>
            Show {count(Math.min(STEP, left))} more of {count(rows.length)}
          </Button>
        </div>
      )}
    </>
  )
}
