import type { ReactNode } from 'react'

export interface FormFoldProps {
  readonly title: string
  /** True if a field inside has an error, which opens the section. */
  readonly isWrong?: boolean
  readonly children: ReactNode
}

/** Collapsed section of a form. */
export function Fold({ title, isWrong = false, children }: FormFoldProps) {
  return (
    <details className="rounded-field border border-line" open={isWrong || undefined}>
      <summary className="min-h-8 cursor-pointer px-3 py-1.5 font-medium pointer-coarse:py-2.5">{title}</summary>
      <div className="flex flex-col gap-3 px-3 pt-1 pb-3">{children}</div>
    </details>
  )
}
