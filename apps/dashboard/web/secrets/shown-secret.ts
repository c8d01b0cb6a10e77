import { UserError } from '../api/problem.ts'
import { toastProblem } from '../components/toasts.tsx'

/** New secret, which is shown once. */
export interface ShownSecret {
  readonly title: string
  /** Name of the secret for screen readers. */
  readonly label: string
  readonly secret: string
  /** Instructions for the user. */
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

/** Loads the dialog before the secret is created, so that a failed load cannot lose the secret. */
export function loadSecretDialog() {
  return import('./secret-dialog.tsx')
}

/** Shows a secret in front of any page. The form that created it may be closed meanwhile. */
export function showSecret(secret: ShownSecret): void {
  change(secret)
}

/**
 * Shows a new secret in front of any page.
 * @param secret undefined = an earlier attempt of the same request received it, and it cannot be shown again
 */
export function showCreatedSecret({
  secret,
  ...rest
}: Omit<ShownSecret, 'secret'> & { secret: string | undefined }): void {
  if (secret !== undefined) showSecret({ secret, ...rest })
  else
    toastProblem(
      new UserError(
        'The key was created, but the response with its secret was lost. Rotate the key to get a new secret.',
      ),
    )
}

/** Discards the secret. */
export function forgetSecret(): void {
  change(undefined)
}

/** Number that is different for each shown secret; undefined = none. */
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
