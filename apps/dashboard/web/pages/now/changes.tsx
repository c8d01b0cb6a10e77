import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/me.ts'
import { useKeyNames } from '../../api/names.ts'
import type { NowReport } from '../../api/now.ts'
import type { ChartMark } from '../../charts/series.ts'
import { Section } from '../../components/page.tsx'
import { Time } from '../../components/values.tsx'
import { markText } from './sums.ts'

/** Maximum number of changes in the list. */
const MAX_CHANGES = 10

/** Changes of configuration, credentials, prices, keys and budgets in the last hour, newest first. */
export function Changes({ marks }: { readonly marks: NowReport['marks'] }) {
  const mayRead = useMay('audit.read') !== undefined
  const names = useKeyNames(marks.length > 0)
  if (!mayRead) return null
  const shown = marks.toReversed().slice(0, MAX_CHANGES)
  return (
    <Section
      title="Changes"
      actions={
        <Link to="/organization" search={{ tab: 'audit' }}>
          Audit log
        </Link>
      }
    >
      {shown.length === 0 ? (
        <p className="text-muted">No changes in the last hour.</p>
      ) : (
        <ul className="flex flex-col gap-1">
          {shown.map((mark) => (
            <li key={`${mark.at} ${mark.what} ${mark.target ?? ''}`} className="flex justify-between gap-2">
              <span className="min-w-0 wrap-anywhere">{markText(mark, names)}</span>
              <span className="shrink-0 text-muted">
                <Time at={mark.at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

/** Changes as marks of a chart. */
export function useMarks(marks: NowReport['marks']): readonly ChartMark[] {
  const names = useKeyNames(marks.length > 0)
  return marks.map((mark) => ({ at: mark.at, title: markText(mark, names) }))
}
