import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { budgetsQuery } from '../../api/budgets.ts'
import { useMay } from '../../api/me.ts'
import type { RequestAttempt, RequestDetails } from '../../api/usage.ts'
import { classes } from '../../components/classes.ts'
import { failureText } from '../../failures.ts'
import { LABELS, OUTCOMES } from '../../labels.ts'
import { SameFailure } from './same-failure.tsx'

/** Time for which messages are stored, in milliseconds. */
const WORDS_MS = 24 * 3_600_000

const LOOKS = { bad: 'bg-bad-tint text-bad', warn: 'bg-warn-tint text-warn', plain: 'bg-sunken text-text' } as const

/** Failure of a request: its kind, the message that the caller got, and the message of the last provider. */
export function FailureBox({ row, now }: { readonly row: RequestDetails; readonly now: number }) {
  const { failure, outcome, message, limit, at } = row
  if (failure === null) return null
  const { tone, label } = OUTCOMES[outcome]
  const last = row.attempts?.findLast((attempt) => attempt.failure !== null)
  const words = last === undefined || last.words === message ? undefined : wordsOf(last)
  return (
    <section
      aria-label="Failure"
      className={classes('rounded-field px-3 py-2', LOOKS[tone === 'good' ? 'plain' : tone])}
    >
      <p className="font-semibold">
        {capital(label)}: {failureText(failure)}
      </p>
      {message !== undefined && (
        <p className="mt-1 wrap-anywhere whitespace-pre-wrap text-text">
          <span className="text-muted">Message to the caller: </span>
          {message}
        </p>
      )}
      {last && (words !== undefined || last.code !== null) && (
        <p className="mt-1 wrap-anywhere whitespace-pre-wrap text-text">
          <span className="text-muted">{last.provider}: </span>
          {words} {last.code !== null && <code className="font-mono text-small">{last.code}</code>}
        </p>
      )}
      {message === undefined && outcome !== 'canceled' && (
        <p className="mt-1 text-small text-muted">
          {outcome !== 'refused' && now - at > WORDS_MS
            ? 'Messages are deleted after 24 hours.'
            : 'Only the owner of the key and people who can read traces see the message.'}
        </p>
      )}
      {limit && <LimitLine limit={limit} />}
      <SameFailure row={row} now={now} />
    </section>
  )
}

/** Budget or rate limit that refused the request, with a link. */
function LimitLine({ limit: { kind, id } }: { readonly limit: NonNullable<RequestDetails['limit']> }) {
  const isBudget = kind === 'budget'
  const mayRead = useMay('budgets.read') !== undefined
  const { data } = useQuery({ ...budgetsQuery, enabled: mayRead && isBudget })
  const name = data?.items.find((budget) => budget.id === id)?.name ?? id
  return (
    <p className="mt-1 text-text">
      {isBudget ? LABELS.budget : 'Rate limit'}:{' '}
      <Link to="/budgets" search={isBudget ? { row: id } : {}} className="text-accent underline">
        {name}
      </Link>
    </p>
  )
}

/** Message of a provider in a failed call, without its name in front. */
export function wordsOf({ words, provider }: Pick<RequestAttempt, 'words' | 'provider'>): string | undefined {
  return words?.startsWith(`${provider}: `) ? words.slice(provider.length + 2) : words
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
