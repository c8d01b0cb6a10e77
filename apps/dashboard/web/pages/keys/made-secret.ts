import { toastProblem } from '../../components/toasts.tsx'
import { showSecret } from '../../secrets/shown-secret.ts'

export interface MadeSecret {
  readonly title: string
  readonly label: string
  /** Undefined = it was told before, to a request that was sent again: nobody can tell it a second time. */
  readonly secret: string | undefined
  readonly advice: string
}

/** Shows a secret that was just made, whatever page is open by then. */
export function showMadeSecret({ secret, ...rest }: MadeSecret): void {
  if (secret !== undefined) showSecret({ secret, ...rest })
  else
    toastProblem(
      new Error(
        'It was made, but its secret was told to a request that did not come back. Rotate the key for another one.',
      ),
    )
}
