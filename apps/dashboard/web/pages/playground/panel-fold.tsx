import type { ReactNode } from 'react'

/** Collapsible section, based on `<details>`. */
export function Fold({ title, note, isOpen = false, children }: PanelFoldProps) {
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

export interface PanelFoldProps {
  readonly title: string
  /** Summary of the current values. */
  readonly note?: ReactNode
  readonly isOpen?: boolean
  readonly children: ReactNode
}
