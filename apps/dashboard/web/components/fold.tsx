import type { ReactNode } from 'react'

export interface FoldProps {
  readonly title: string
  /** What is folded is open where something is wrong in it. */
  readonly isWrong?: boolean
  readonly children: ReactNode
}

/** Fields that most have no need of. */
export function Fold({ title, isWrong = false, children }: FoldProps) {
  return (
    <details className="rounded-field border border-line" open={isWrong || undefined}>
      <summary className="min-h-8 cursor-pointer px-3 py-1.5 font-medium pointer-coarse:py-2.5">{title}</summary>
      <div className="flex flex-col gap-3 px-3 pt-1 pb-3">{children}</div>
    </details>
  )
}
