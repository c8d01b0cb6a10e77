import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { problemOf } from '../api/problem.ts'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { Code } from './code.tsx'
import { CopyId } from './copy.tsx'

/** What stands in the place of a list that has nothing, and what to do about it. */
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
  /** By which it can be done without this page. */
  readonly command?: string
  readonly action?: ReactNode
  readonly children?: ReactNode
}

/** A part of a page that could not be had: what went wrong, and how to ask again. The rest goes on. */
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
  /** Rows of the skeleton that is shown before the first answer. */
  readonly rows: number
  /** Height of these rows, as CSS. */
  readonly height?: string | undefined
  children(data: Data): ReactNode
}

/** Answer of a query: a skeleton before the first one, and an error with a button for another attempt without one. */
export function Loaded<Data>({ query: { data, error, refetch }, rows, height, children }: LoadedProps<Data>) {
  if (data !== undefined) return children(data)
  return error ? <Failed error={error} retry={() => void refetch()} /> : <Skeleton rows={rows} height={height} />
}

/** What somebody may not see, and who may. */
export function Forbidden({ children }: { readonly children: ReactNode }) {
  return <p className="rounded-panel border border-line bg-sunken p-4 text-muted">{children}</p>
}

export interface NoteProps {
  readonly look?: 'warn' | 'good' | 'bad' | 'plain'
  readonly children: ReactNode
}

/** Something that is not quite right: of old, or not all of it. */
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

/** Bars in the size of what is coming: from 200 ms on. */
export function Skeleton({ rows = 8, height = 'var(--row)' }: SkeletonProps) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-1">
      {Array.from({ length: rows }, (_, place) => `row-${place}`).map((row) => (
        <div key={row} className="skeleton" style={{ height: `calc(${height} - 4px)` }} />
      ))}
    </div>
  )
}

/** A bar on top of what is read anew, which stays as it was until then. */
export function Refreshing({ isBusy }: { readonly isBusy: boolean }) {
  return <div aria-hidden className={classes('h-0.5 rounded-full', isBusy && 'appear-late bg-accent')} />
}
