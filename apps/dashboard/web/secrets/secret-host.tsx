import { lazy, Suspense, useSyncExternalStore } from 'react'
import { forgetSecret, loadSecretDialog, onSecret, secretNow, shownSince } from './shown-secret.ts'

const SecretDialog = lazy(() => loadSecretDialog().then(({ SecretDialog: component }) => ({ default: component })))

/** Host of the dialog for new secrets. */
export function SecretHost() {
  // React keeps the previous props and state of mounted components, so a component that stays mounted must not hold the
  // secret.
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
