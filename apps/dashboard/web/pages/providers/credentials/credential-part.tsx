import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { credentialsQuery, type ProviderCredential } from '../../../api/credentials.ts'
import { useMay } from '../../../api/me.ts'
import { memberNamesQuery } from '../../../api/queries.ts'
import { Button } from '../../../components/button.tsx'
import { Fact, Facts } from '../../../components/facts.tsx'
import { Part } from '../../../components/page.tsx'
import { Loaded, Note } from '../../../components/states.tsx'
import { FullTime } from '../../../components/values.tsx'
import { LABELS } from '../../../labels.ts'
import { RemoveCredential, SetCredential } from './dialogs.tsx'
import { fieldTitle, sourceText } from './fields.ts'

/** Source of a provider's credential. Owners can enter, replace and remove it, unless a file or a variable sets it. */
export function CredentialPart({ provider }: { readonly provider: string }) {
  const mayRead = useMay('providers.write') === 'all'
  const query = useQuery({ ...credentialsQuery, enabled: mayRead })
  if (!mayRead) return null
  return (
    <Part title="Credential">
      <Loaded query={query} rows={2}>
        {({ items }) => <Known of={items.find((one) => one.provider === provider)} />}
      </Loaded>
    </Part>
  )
}

function Known({ of }: { readonly of: ProviderCredential | undefined }) {
  const mayWrite = useMay('credentials.write') === 'all'
  const [dialog, setDialog] = useState<'set' | 'remove'>()
  if (!of) return <p className="text-muted">{LABELS.none}</p>
  const { stored, fields, source, isUsed } = of
  const close = (): void => setDialog(undefined)
  return (
    <div className="flex flex-col gap-3">
      {source === 'stored' && !isUsed ? (
        <Note>{sourceText(of)}</Note>
      ) : (
        <p className="wrap-anywhere">{sourceText(of)}</p>
      )}
      {stored && <Stored of={stored} />}
      {mayWrite && (
        <div className="flex flex-wrap gap-2">
          {fields.length > 0 && (
            <Button onClick={() => setDialog('set')}>{stored ? 'Replace credential' : 'Set credential'}</Button>
          )}
          {stored && (
            <Button look="quiet" onClick={() => setDialog('remove')}>
              {LABELS.remove}
            </Button>
          )}
        </div>
      )}
      {!mayWrite && fields.length > 0 && <p className="text-small text-muted">Only owners can change it.</p>}
      {dialog === 'set' && <SetCredential of={of} onClose={close} />}
      {dialog === 'remove' && <RemoveCredential of={of} onClose={close} />}
    </div>
  )
}

function Stored({ of }: { readonly of: NonNullable<ProviderCredential['stored']> }) {
  const mayReadMembers = useMay('members.read') !== undefined
  const { data } = useQuery({ ...memberNamesQuery, enabled: mayReadMembers })
  const { fields, hosts, createdAt, createdBy } = of
  return (
    <Facts>
      <Fact name="Fields">{fields.map(fieldTitle).join(', ')}</Fact>
      <Fact name="Sent to">{hosts.join(', ')}</Fact>
      <Fact name="Entered">
        <FullTime at={createdAt} />
      </Fact>
      {createdBy !== undefined && (
        <Fact name="By">{data?.items.find(({ person }) => person === createdBy)?.name ?? createdBy}</Fact>
      )}
    </Facts>
  )
}
