import { lazy, Suspense, useSyncExternalStore } from 'react'
import { forgetSecret, loadSecretDialog, onSecret, secretNow, shownSince } from './shown-secret.ts'

const SecretDialog = lazy(() => loadSecretDialog().then(({ SecretDialog: component }) => ({ default: component })))

/** Where secrets are shown that were just made. */
export function SecretHost() {
  // React keeps what a component was once more beside what it is: of what stays in the page the secret must be no
  // state.
  const since = useSyncExternalStore(onSecret, shownSince)
  return since !== undefined && <Shown key={since} />
}

function Shown() {
  const shown = secretNow()
  if (!shown) return null
  const { title, label, secret, advice } = shown
  return (
    <Suspense>
      <SecretDialog title={title} label={label} secret={secret} onStored={forgetSecret}>
        <p className="text-muted">{advice}</p>
      </SecretDialog>
    </Suspense>
  )
}
