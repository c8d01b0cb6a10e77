import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { FormDialog } from '../components/form-dialog.tsx'
import { LIMIT_NAMES, type LimitErrors, type LimitValues, limitDraftOf, limitsOf } from './limit-draft.ts'
import { LimitFields } from './limit-fields.tsx'

export interface LimitsDialogProps {
  readonly title: string
  /** Current limits; undefined = none. */
  readonly limits: LimitValues | undefined
  /** Explanation below the fields. */
  readonly note: string
  /** Stores the limits; an empty object removes them. */
  save(limits: LimitValues): Promise<unknown>
  onClose(): void
  /** Fields above the limits. */
  readonly children?: ReactNode
}

/** Dialog that sets or removes rate limits. */
export function LimitsDialog({ title, limits, note, save, onClose, children }: LimitsDialogProps) {
  const [draft, setDraft] = useState(() => limitDraftOf(limits))
  const [errors, setErrors] = useState<LimitErrors>({})
  const request = useMutation({ mutationFn: save, onSuccess: onClose })
  const submit = (): void => {
    const read = limitsOf(draft)
    setErrors('errors' in read ? read.errors : {})
    if ('limits' in read) request.mutate(read.limits)
  }
  const isEmpty = LIMIT_NAMES.every((name) => draft[name].trim() === '')
  return (
    <FormDialog
      title={title}
      isPersistent
      action={isEmpty && limits ? 'Remove limits' : 'Set limits'}
      isDisabled={isEmpty && !limits}
      request={request}
      fields={LIMIT_NAMES}
      onSubmit={submit}
      onClose={onClose}
    >
      {children}
      <LimitFields
        {...{ draft, errors }}
        onChange={(next) => setDraft((before) => ({ ...before, ...next }))}
        problem={request.error}
      />
      <p className="text-small text-muted">{note}</p>
    </FormDialog>
  )
}
