import { Chip } from '../../components/chip.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { LABELS } from '../../labels.ts'
import { isUsed, type ProviderStatus, variablesOf } from './providers.ts'

type Configured = Pick<ProviderStatus, 'state' | 'credential' | 'variables'>

/** Sources of a credential that make its variables unnecessary. */
const SOURCES: Readonly<Partial<Record<NonNullable<ProviderStatus['credential']>, string>>> = {
  file: 'The credential comes from the configuration file. No variable is needed.',
  stored: 'An owner entered the credential. No variable is needed.',
  none: 'This provider works without a credential.',
}

/** Environment variables of a provider and whether they are set. Values are never shown. */
export function Variables({ of }: { readonly of: Configured }) {
  const all = variablesOf(of)
  const source = sourceText(of)
  if (all.length === 0) return <p className="text-muted">{source ?? LABELS.none}</p>
  return (
    <>
      {source !== undefined && <p className="mb-1">{source}</p>}
      <ul className="flex flex-col gap-1">
        {all.map(({ name, isSet }) => (
          <li key={name} className="flex min-h-7 items-center gap-2">
            <code className="min-w-0 truncate font-mono text-small" title={name}>
              {name}
            </code>
            <CopyButton text={name} label={`Copy ${name}`} className="-my-1.5" />
            {(isSet || source === undefined) && (
              <Chip tone={isSet ? 'good' : 'plain'}>{isSet ? 'set' : 'not set'}</Chip>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Source of the credential if it is not an environment variable. */
function sourceText({ state, credential, variables = [] }: Configured): string | undefined {
  if (!isUsed({ state })) return undefined
  if (credential !== undefined) return SOURCES[credential]
  return variables.some(({ isSet }) => isSet) ? undefined : SOURCES.file
}
