import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { announce } from './announcements.tsx'
import { IconButton } from './button.tsx'

/** How long it says that it was copied, in milliseconds. */
const SAID = 2_000

/**
 * Whether the text is in the clipboard: browsers have none where the page comes neither by TLS nor from this machine.
 */
export async function copyText(text: string): Promise<boolean> {
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  announce(isCopied ? 'Copied.' : 'This browser does not let pages copy here. Select the text and copy it.')
  return isCopied ?? false
}

export function useCopied(): readonly [boolean, (text: string) => void] {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), SAID)
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

/** An id that can be taken along. */
export function CopyId({ id, label }: { readonly id: string; readonly label?: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <code className="truncate font-mono text-small" title={id}>
        {id}
      </code>
      <CopyButton text={id} label={`Copy ${label ?? 'id'}`} className="-my-1.5" />
    </span>
  )
}
