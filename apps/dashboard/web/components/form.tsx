import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { type ApiProblem, problemOf } from '../api/problem.ts'
import { classes } from './classes.ts'
import { fieldLabel } from './field-labels.ts'
import { useRestoredDraft } from './use-draft.ts'

export interface FormProps {
  onSubmit(): void
  /** Error of the request. Fields show their own part of it. */
  readonly error: unknown
  /** Fields that show their own errors, which the summary omits. */
  readonly fields?: readonly string[] | undefined
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** Form with an error summary on top, which gets the focus. */
export function Form({ onSubmit, error, fields = [], className, children }: FormProps) {
  const summary = useRef<HTMLDivElement>(null)
  const form = useRef<HTMLFormElement>(null)
  useRestoredDraft(form)
  const problem = error ? problemOf(error) : undefined
  useEffect(() => {
    if (problem) summary.current?.focus()
  }, [problem])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form ref={form} noValidate onSubmit={submit} className={classes('flex flex-col gap-4', className)}>
      {problem && (
        <div ref={summary} tabIndex={-1} role="alert" className="rounded-field bg-bad-tint px-3 py-2 text-bad">
          {summaryOf(problem, fields)}
        </div>
      )}
      {children}
    </form>
  )
}

function summaryOf({ details }: ApiProblem, fields: readonly string[]): ReactNode {
  const errors = details.errors ?? []
  const own = errors.filter(({ field }) => fields.includes(field))
  const others = errors.filter(({ field }) => !fields.includes(field))
  // The API names a single field in its sentence, as programs need it.
  if (own.length === 0 && !errors.some(({ field, message }) => details.detail === `\`${field}\`: ${message}`))
    return details.detail
  return (
    <>
      {own.length > 0 && (
        <p>{own.length === 1 ? 'Check the highlighted field.' : `Check the ${own.length} highlighted fields.`}</p>
      )}
      {others.map(({ field, message }) => (
        <p key={field}>
          {fieldLabel(field)}: {message}
        </p>
      ))}
    </>
  )
}

/** Error message of a field, from the error of a request. */
export function fieldError(error: unknown, field: string): string | undefined {
  return error ? problemOf(error).of(field) : undefined
}
