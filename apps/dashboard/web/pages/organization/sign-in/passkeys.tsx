import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type AnswerOf, ask } from '../../../api/ask.ts'
import { Button, IconButton } from '../../../components/button.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { NameDialog } from '../../../components/name-dialog.tsx'
import { Section } from '../../../components/page.tsx'
import { Loaded } from '../../../components/states.tsx'
import { toast } from '../../../components/toasts.tsx'
import { Time } from '../../../components/values.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'
import { addPasskey, hasPasskeys, isDeclined } from '../../../passkeys/passkey.ts'
import { agentName } from '../sessions/agent.ts'

type Passkey = AnswerOf<'GET /passkeys'>['items'][number]

const PASSKEYS = ['passkeys']

/** One's own passkeys. */
export function Passkeys() {
  const query = useQuery({
    queryKey: PASSKEYS,
    queryFn: ({ signal }) => ask('GET /passkeys', { signal }),
  })
  const [asked, setAsked] = useState<'add' | Passkey>()
  const [removed, remove] = useState<Passkey>()
  return (
    <Section
      title="Your passkeys"
      actions={
        hasPasskeys() && (
          <Button onClick={() => setAsked('add')}>
            <KeyRound aria-hidden size={14} /> Add a passkey
          </Button>
        )
      }
    >
      {!hasPasskeys() && (
        <p className="mb-3 text-muted">
          This browser makes none here: passkeys need TLS or <code>localhost</code>, and an address that is a name.
        </p>
      )}
      <Loaded query={query} rows={2}>
        {(data) =>
          data.items.length === 0 ? (
            <p className="text-muted">
              None. By one you sign in with your finger, face or device, and no page of others can have it.
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
                  <IconButton label={`Rename ${one.name}`} onClick={() => setAsked(one)}>
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
      {asked && <NamePasskey of={asked === 'add' ? undefined : asked} onClose={() => setAsked(undefined)} />}
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

function RemovePasskey({ of: { id, name }, onClose }: { readonly of: Passkey; onClose(): void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => confirmed(() => ask('DELETE /passkeys/{passkey}', { params: { passkey: id } })),
    onSuccess: () => {
      toast(`${name} no longer signs you in.`)
      onClose()
      return client.invalidateQueries({ queryKey: PASSKEYS })
    },
  })
  return (
    <FormDialog
      title={`Remove ${name}`}
      lead="It no longer signs you in, and can not be taken back: remove it from the device as well."
      action="Remove"
      isDanger
      request={remove}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    />
  )
}

/** A new passkey, which the browser then asks its owner for; or another name for one. */
function NamePasskey({ of, onClose }: { readonly of: Passkey | undefined; onClose(): void }) {
  const client = useQueryClient()
  const save = async (name: string): Promise<void> => {
    if (of) await ask('PATCH /passkeys/{passkey}', { params: { passkey: of.id }, body: { name } })
    else await addPasskey(name)
    toast(of ? `${of.name} is ${name} now.` : `${name} signs you in from now on.`)
    client.invalidateQueries({ queryKey: PASSKEYS }).catch(() => {})
  }
  const hint = 'By which you know it again. The browser then asks for your finger, face, device or its PIN.'
  return (
    <NameDialog
      title={of ? `Rename ${of.name}` : 'Add a passkey'}
      action={of ? 'Rename' : 'Go on'}
      before={of?.name ?? agentName(navigator.userAgent)}
      hint={of ? undefined : hint}
      save={save}
      isSilent={isDeclined}
      onClose={onClose}
    />
  )
}
