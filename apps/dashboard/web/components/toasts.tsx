import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { problemOf } from '../api/problem.ts'
import { LABELS } from '../labels.ts'
import { Button, IconButton } from './button.tsx'
import { classes } from './classes.ts'

interface Toast {
  readonly id: number
  readonly text: string
  readonly look: 'plain' | 'bad'
  /** Reverts the action. */
  readonly undo?: (() => void) | undefined
}

/** Time for which a message stays, in milliseconds. Errors stay until they are closed. */
const STAYS = 6_000

let all: readonly Toast[] = []
let last = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  all = next
  for (const listener of listeners) listener()
}

function close(id: number): void {
  change(all.filter((one) => one.id !== id))
}

/** Shows a message for a few seconds. */
export function toast(text: string, { undo }: { readonly undo?: () => void } = {}): void {
  last += 1
  const id = last
  change([...all.slice(-2), { id, text, look: 'plain', undo }])
  setTimeout(() => close(id), STAYS)
}

/** Shows an error until it is closed. */
export function toastProblem(error: unknown): void {
  last += 1
  change([...all.slice(-2), { id: last, text: problemOf(error).details.detail, look: 'bad' }])
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => all)
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-4 bottom-20 z-50 flex flex-col items-center gap-2 md:bottom-6"
    >
      {shown.map(({ id, text, look, undo }) => (
        <div
          key={id}
          className={classes(
            'pointer-events-auto flex max-w-xl items-center gap-3 rounded-panel border py-1.5 pr-1.5 pl-4 shadow-overlay',
            look === 'bad' ? 'border-bad bg-bad-tint text-bad' : 'border-line bg-bg',
          )}
        >
          <p>{text}</p>
          {undo && (
            <Button
              look="quiet"
              onClick={() => {
                undo()
                close(id)
              }}
            >
              Undo
            </Button>
          )}
          <IconButton label={LABELS.close} onClick={() => close(id)}>
            <X aria-hidden size={14} />
          </IconButton>
        </div>
      ))}
    </div>
  )
}
