import { toastProblem } from '../components/toasts.tsx'

/** A secret that was just made, and is shown this once. */
export interface ShownSecret {
  readonly title: string
  /** What it is, for who does not see it. */
  readonly label: string
  readonly secret: string
  /** What is to be done with it. */
  readonly advice: string
}

let shown: ShownSecret | undefined
let times = 0
const listeners = new Set<() => void>()

function change(next: ShownSecret | undefined): void {
  shown = next
  times += 1
  for (const listener of listeners) listener()
}

/** Has what shows secrets be here before there is one: nothing that is loaded later can come between. */
export function loadSecretDialog() {
  return import('./secret-dialog.tsx')
}

/** Shows a secret in front of whatever page is open: what asked for it may be closed meanwhile. */
export function showSecret(secret: ShownSecret): void {
  change(secret)
}

/**
 * Shows a secret that was just made, in front of whatever page is open by then. @param secret undefined = an earlier
 * attempt of the same request received it, and it cannot be shown a second time.
 */
export function showMadeSecret({
  secret,
  ...rest
}: Omit<ShownSecret, 'secret'> & { secret: string | undefined }): void {
  if (secret !== undefined) showSecret({ secret, ...rest })
  else
    toastProblem(
      new Error(
        'It was made, but its secret was told to a request that did not come back. Rotate the key for another one.',
      ),
    )
}

/** After which it is nowhere. */
export function forgetSecret(): void {
  change(undefined)
}

/** Another number for each secret that is shown; undefined = none is. */
export function shownSince(): number | undefined {
  return shown && times
}

export function secretNow(): ShownSecret | undefined {
  return shown
}

export function onSecret(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
