import { Link } from '@tanstack/react-router'
import type { NowMinute } from '../../api/now.ts'
import { Section } from '../../components/page.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { failureText } from '../../failures.ts'
import { counted } from '../../formats/numbers.ts'
import { LABELS } from '../../labels.ts'
import { failuresOf } from './sums.ts'

/** Failed requests of the last hour by kind. */
export function Failures({ minutes }: { readonly minutes: readonly NowMinute[] }) {
  const failures = failuresOf(minutes)
  return (
    <Section title={LABELS.failures}>
      {failures.length === 0 ? (
        <p className="text-muted">No failures in the last hour.</p>
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {failures.map(({ kind, requests, line }) => (
            <li key={kind} className="flex items-center gap-4 py-1.5 first:pt-0 last:pb-0">
              <Link
                to="/requests"
                search={{ range: '1h', failure: kind }}
                className="min-w-0 grow truncate font-medium"
              >
                {failureText(kind)}
              </Link>
              <span className="w-32 shrink-0 max-sm:hidden">
                <Sparkline values={line} />
              </span>
              <span className="number w-28 shrink-0">{counted(requests, 'request')}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
