import { Chip } from '../../components/chip.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { type Provider, variablesOf } from './providers.ts'

/** Which variables of the environment a provider looks at, and whether they are set: never what to. */
export function Variables({ of }: { readonly of: Pick<Provider, 'variables'> }) {
  const all = variablesOf(of)
  if (all.length === 0) return <p className="text-muted">It looks at no variable.</p>
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
