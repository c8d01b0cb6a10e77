import { classes } from './classes.ts'
import { CopyButton } from './copy.tsx'

export interface CodeProps {
  readonly text: string
  readonly label: string
  /** Text to display, if it differs from the text to copy. */
  readonly shown?: string | undefined
  readonly className?: string
}

/** Code block with a copy button. */
export function Code({ text, label, shown = text, className }: CodeProps) {
  return (
    <figure className={classes('relative max-w-full rounded-field border border-line bg-sunken text-left', className)}>
      <figcaption className="sr-only">{label}</figcaption>
      {/* The text wraps, because a scrollable block would need keyboard focus. */}
      <pre className="py-2 pr-12 pl-3 font-mono text-small wrap-anywhere whitespace-pre-wrap">
        <code>{shown}</code>
      </pre>
      <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} className="absolute top-0 right-0 bg-sunken" />
    </figure>
  )
}
