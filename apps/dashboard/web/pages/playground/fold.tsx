import type { ReactNode } from 'react'

/** A part that is folded until somebody wants it: the browser's own. */
export function Fold({ title, note, isOpen = false, children }: FoldProps) {
  return (
    <details open={isOpen} className="rounded-panel border border-line">
      <summary className="flex min-h-9 items-center gap-2 px-3 font-medium pointer-coarse:min-h-11">
        <span className="grow">{title}</span>
        {note !== undefined && <span className="text-small font-normal text-muted">{note}</span>}
      </summary>
      <div className="flex flex-col gap-3 px-3 pb-3">{children}</div>
    </details>
  )
}

export interface FoldProps {
  readonly title: string
  /** What of it is set. */
  readonly note?: ReactNode
  readonly isOpen?: boolean
  readonly children: ReactNode
}
