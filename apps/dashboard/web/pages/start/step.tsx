import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { classes } from '../../components/classes.ts'

export interface StepProps {
  readonly number: number
  readonly title: string
  readonly isDone: boolean
  readonly children: ReactNode
}

/** Numbered step. */
export function Step({ number, title, isDone, children }: StepProps) {
  return (
    <li className="flex gap-4">
      <span
        aria-hidden
        className={classes(
          'flex size-7 shrink-0 items-center justify-center rounded-full border text-small font-semibold',
          isDone ? 'border-good bg-good-tint text-good' : 'border-field text-muted',
        )}
      >
        {isDone ? <Check size={14} /> : number}
      </span>
      <div className="flex min-w-0 grow flex-col gap-3 pb-8">
        <h2 className="text-lead font-semibold">
          {title}
          {isDone && <span className="sr-only">, done</span>}
        </h2>
        {children}
      </div>
    </li>
  )
}
