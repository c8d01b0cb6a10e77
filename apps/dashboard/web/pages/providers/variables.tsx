import { Chip } from '../../components/chip.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { LABELS } from '../../labels.ts'
import { type ProviderStatus, variablesOf } from './providers.ts'

/** Environment variables of a provider and whether they are set. Values are never shown. */
export function Variables({ of }: { readonly of: Pick<ProviderStatus, 'variables'> }) {
  const all = variablesOf(of)
  if (all.length === 0) return <p className="text-muted">{LABELS.none}</p>
  return (
    <ul className="flex flex-col gap-1">
      {all.map(({ name, isSet }) => (
        <li key={name} className="flex items-center gap-2">
          <code className="min-w-0 truncate font-mono text-small" title={name}>
            {name}
          </code>
          <CopyButton text={name} label={`Copy ${name}`} className="-my-1.5" />
          <Chip tone={isSet ? 'good' : 'plain'}>{isSet ? 'set' : 'not set'}</Chip>
        </li>
      ))}
    </ul>
  )
}
