import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { problemOf } from '../api/problem.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Code } from './code.tsx'
import { CopyId } from './copy.tsx'

/** Placeholder of an empty list, with the next step. */
export function Empty({ title, command, action, children }: EmptyProps) {
  return (
    <div className="appear-late mx-auto flex max-w-prose flex-col items-center gap-3 px-4 py-12 text-center">
      <p className="text-lead font-semibold">{title}</p>
      {children && <div className="text-muted">{children}</div>}
      {command !== undefined && <Code text={command} label="Command" />}
      {action}
    </div>
  )
}

export interface EmptyProps {
  readonly title: string
  /** Command that does the same as the action. */
  readonly command?: string
  readonly action?: ReactNode
  readonly children?: ReactNode
}

/** Error in place of content that could not be loaded, with a retry button. */
export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: (() => void) | undefined }) {
  const { details, status } = problemOf(error)
  if (status === 403) return <Forbidden>{details.detail}</Forbidden>
  return (
    <div
      role="alert"
      className="flex flex-col items-start gap-2 rounded-panel border border-line bg-bad-tint p-4 text-bad"
    >
      <p className="font-semibold">{details.title}</p>
      <p>{details.detail}</p>
      {details.instance !== '' && (
        <p className="text-small">
          Request <CopyId id={details.instance} />
        </p>
      )}
      {retry && (
        <Button onClick={retry} className="text-text">
          <RefreshCw aria-hidden size={14} /> Retry
        </Button>
      )}
    </div>
  )
}

export interface LoadedProps<Data> {
  readonly query: { readonly data: Data | undefined; readonly error: unknown; refetch(): unknown }
  /** Rows of the skeleton. */
  readonly rows: number
  /** Height of these rows, as CSS. */
  readonly height?: string | undefined
  children(data: Data): ReactNode
}

/** Content that depends on a query: a skeleton while it loads, and an error with a retry button if it fails. */
export function Loaded<Data>({ query: { data, error, refetch }, rows, height, children }: LoadedProps<Data>) {
  if (data !== undefined) return children(data)
  return error ? <Failed error={error} retry={() => void refetch()} /> : <Skeleton rows={rows} height={height} />
}

/** Note that the user lacks a permission, and who has it. */
export function Forbidden({ children }: { readonly children: ReactNode }) {
  return <p className="rounded-panel border border-line bg-sunken p-4 text-muted">{children}</p>
}

export interface NoteProps {
  readonly look?: 'warn' | 'good' | 'bad' | 'plain'
  readonly children: ReactNode
}

/** Message box inside a page. */
export function Note({ look = 'warn', children }: NoteProps) {
  const looks = {
    warn: 'bg-warn-tint text-warn',
    good: 'bg-good-tint text-good',
    bad: 'bg-bad-tint text-bad',
    plain: 'bg-sunken text-muted',
  }
  return (
    <p role="status" className={classes('rounded-field px-3 py-2', looks[look])}>
      {children}
    </p>
  )
}

export interface SkeletonProps {
  readonly rows?: number
  readonly height?: string | undefined
}

/** Gray bars in the size of the expected content. They appear after 200 ms. */
export function Skeleton({ rows = 8, height = 'var(--row)' }: SkeletonProps) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-1">
      {Array.from({ length: rows }, (_, place) => `row-${place}`).map((row) => (
        <div key={row} className="skeleton" style={{ height: `calc(${height} - 4px)` }} />
      ))}
    </div>
  )
}

/** Progress line above content that is being refreshed. */
export function Refreshing({ isBusy }: { readonly isBusy: boolean }) {
  return <div aria-hidden className={classes('h-0.5 rounded-full', isBusy && 'appear-late bg-field')} />
}
