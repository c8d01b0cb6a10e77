import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../components/button.tsx'
import { useCopied } from '../components/copy.tsx'
import { LABELS } from '../labels.ts'

export interface SecretProps {
  readonly secret: string
  /** Name of the secret for screen readers. */
  readonly label: string
  /** Called when the secret is shown or hidden, for other places that contain it. */
  onShown?(isShown: boolean): void
}

/** Start of a secret, for display. */
export function masked(secret: string): string {
  return `${secret.slice(0, 7)}${'•'.repeat(24)}`
}

/** Secret with buttons that show and copy it. It exists only in this component. */
export function Secret({ secret, label, onShown }: SecretProps) {
  const [isShown, setShown] = useState(false)
  const show = (next: boolean): void => {
    setShown(next)
    onShown?.(next)
  }
  const [isCopied, copy] = useCopied()
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-center gap-2">
        <output
          aria-label={isShown ? label : `${label}: secret, ${secret.length} characters`}
          className="min-w-0 grow truncate rounded-field border border-field bg-sunken px-2.5 py-1.5 font-mono text-small"
        >
          {isShown ? secret : masked(secret)}
        </output>
        <IconButton label={isShown ? 'Hide' : 'Show'} onClick={() => show(!isShown)}>
          {isShown ? <EyeOff aria-hidden size={16} /> : <Eye aria-hidden size={16} />}
        </IconButton>
        <Button look="primary" onClick={() => copy(secret)}>
          {isCopied ? 'Copied' : LABELS.copy}
        </Button>
      </div>
      <p className="text-small text-muted">You won't see this again.</p>
    </div>
  )
}
