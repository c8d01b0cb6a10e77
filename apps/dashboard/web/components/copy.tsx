import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { announce } from './announcements.tsx'
import { IconButton } from './button.tsx'

/** Time for which the button shows "Copied", in milliseconds. */
const COPIED_MS = 2_000

/** Copies text and returns whether that worked. Browsers allow it only over HTTPS and on localhost. */
export async function copyText(text: string): Promise<boolean> {
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  announce(isCopied ? 'Copied.' : 'The browser blocked copying. Select the text and copy it.')
  return isCopied ?? false
}

export function useCopied(): readonly [boolean, (text: string) => void] {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return [isCopied, (text) => void copyText(text).then(setCopied)]
}

export interface CopyButtonProps {
  readonly text: string
  readonly label?: string
  readonly className?: string
}

export function CopyButton({ text, label = 'Copy', className }: CopyButtonProps) {
  const [isCopied, copy] = useCopied()
  return (
    <IconButton label={isCopied ? 'Copied' : label} className={className ?? ''} onClick={() => copy(text)}>
      {isCopied ? <Check aria-hidden size={14} className="text-good" /> : <Copy aria-hidden size={14} />}
    </IconButton>
  )
}

/** ID with a copy button. */
export function CopyId({ id, label }: { readonly id: string; readonly label?: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <code className="truncate font-mono text-small" title={id}>
        {id}
      </code>
      <CopyButton text={id} label={`Copy ${label ?? 'ID'}`} className="-my-1.5" />
    </span>
  )
}
