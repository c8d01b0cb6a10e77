import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { callApi, type ResponseOf } from '../../api/call.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { Section } from '../../components/page.tsx'
import { Loaded } from '../../components/states.tsx'
import { toast } from '../../components/toasts.tsx'
import { Time } from '../../components/values.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { LABELS } from '../../labels.ts'
import { addPasskey, hasPasskeys, isDeclined } from '../../passkeys/passkey.ts'
import { agentName } from './agent.ts'

type UserPasskey = ResponseOf<'GET /passkeys'>['items'][number]

const PASSKEYS = ['passkeys']

/** Passkeys of the user. */
export function Passkeys() {
  const query = useQuery({
    queryKey: PASSKEYS,
    queryFn: ({ signal }) => callApi('GET /passkeys', { signal }),
  })
  const [dialog, setDialog] = useState<'add' | UserPasskey>()
  const [removed, remove] = useState<UserPasskey>()
  return (
    <Section
      title="Your passkeys"
      actions={
        hasPasskeys() && (
          <Button onClick={() => setDialog('add')}>
            <KeyRound aria-hidden size={14} /> Add passkey
          </Button>
        )
      }
    >
      {!hasPasskeys() && (
        <p className="mb-3 text-muted">
          Passkeys are not available here. They need HTTPS or <code>localhost</code>, and a host name instead of an IP
          address.
        </p>
      )}
      <Loaded query={query} rows={2}>
        {(data) =>
          data.items.length === 0 ? (
            <p className="text-muted">
              No passkeys yet. Sign in with a fingerprint, face or security key. Passkeys can't be phished.
            </p>
          ) : (
            <ul className="flex flex-col">
              {data.items.map((one) => (
                <li key={one.id} className="flex items-center gap-2 border-b border-line py-1 last:border-0">
                  <div className="min-w-0 grow">
                    <p className="truncate" title={one.name}>
                      {one.name}
                    </p>
                    <p className="text-small text-muted">
                      added <Time at={one.createdAt} />,{' '}
                      {one.usedAt === undefined ? 'never used' : <Used at={one.usedAt} />}
                    </p>
                  </div>
                  <IconButton label={`Rename ${one.name}`} onClick={() => setDialog(one)}>
                    <Pencil aria-hidden size={14} />
                  </IconButton>
                  <IconButton label={`Remove ${one.name}`} onClick={() => remove(one)}>
                    <Trash2 aria-hidden size={14} />
                  </IconButton>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {dialog && <NamePasskey of={dialog === 'add' ? undefined : dialog} onClose={() => setDialog(undefined)} />}
      {removed && <RemovePasskey of={removed} onClose={() => remove(undefined)} />}
    </Section>
  )
}

function Used({ at }: { readonly at: number }) {
  return (
    <>
      used <Time at={at} />
    </>
  )
}

function RemovePasskey({ of: { id, name }, onClose }: { readonly of: UserPasskey; onClose(): void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => confirmed(() => callApi('DELETE /passkeys/{passkey}', { params: { passkey: id } })),
    onSuccess: () => {
      toast(`Passkey ${name} removed.`)
      onClose()
      return client.invalidateQueries({ queryKey: PASSKEYS })
    },
  })
  return (
    <FormDialog
      title={`Remove ${name}`}
      lead="You can no longer sign in with it. This cannot be undone. Remove it from the device too."
      action={LABELS.remove}
      isDanger
      request={remove}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    />
  )
}

/** Dialog that creates or renames a passkey. */
function NamePasskey({ of, onClose }: { readonly of: UserPasskey | undefined; onClose(): void }) {
  const client = useQueryClient()
  const save = async (name: string): Promise<void> => {
    if (of) await callApi('PATCH /passkeys/{passkey}', { params: { passkey: of.id }, body: { name } })
    else await addPasskey(name)
    toast(of ? `Passkey renamed to ${name}.` : `Passkey ${name} added.`)
    client.invalidateQueries({ queryKey: PASSKEYS }).catch(() => {})
  }
  const hint = 'A name to recognize it. Your browser then asks for a fingerprint, face, security key or PIN.'
  return (
    <NameDialog
      title={of ? `Rename ${of.name}` : 'Add passkey'}
      action={of ? LABELS.rename : LABELS.continue}
      before={of?.name ?? agentName(navigator.userAgent)}
      hint={of ? undefined : hint}
      save={save}
      isSilent={isDeclined}
      onClose={onClose}
    />
  )
}
