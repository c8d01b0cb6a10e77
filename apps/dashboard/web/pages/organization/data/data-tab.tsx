import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../../../api/call.ts'
import { keepFile } from '../../../api/file.ts'
import { meQuery, useMay, useMembership } from '../../../api/me.ts'
import { organizationQuery } from '../../../api/queries.ts'
import { Button } from '../../../components/button.tsx'
import { CopyId } from '../../../components/copy.tsx'
import { NameDialog } from '../../../components/name-dialog.tsx'
import { Section } from '../../../components/page.tsx'
import { Failed, Forbidden, Skeleton } from '../../../components/states.tsx'
import { toast } from '../../../components/toasts.tsx'
import { FullTime } from '../../../components/values.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'
import { LABELS } from '../../../labels.ts'
import { LeaveOrganization } from '../members/member-dialogs.tsx'
import { DeleteOrganization } from './delete-organization.tsx'

/** Details of the organization, its export, and the button to leave it. */
export function DataTab() {
  return (
    <div className="flex max-w-3xl flex-col gap-6">
      <Facts />
      <Export />
      <Danger />
    </div>
  )
}

function Facts() {
  const { data, error, refetch } = useQuery(organizationQuery)
  const mayChange = useMay('organization.write') !== undefined
  const [isNaming, rename] = useState(false)
  return (
    <Section
      title="Organization"
      actions={
        mayChange &&
        data && (
          <Button look="quiet" onClick={() => rename(true)}>
            {LABELS.rename}
          </Button>
        )
      }
    >
      {data ? (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
          <dt className="text-muted">{LABELS.name}</dt>
          <dd className="wrap-anywhere">{data.name}</dd>
          <dt className="text-muted">{LABELS.id}</dt>
          <dd>
            <CopyId id={data.id} label="organization ID" />
          </dd>
          <dt className="text-muted">{LABELS.created}</dt>
          <dd>
            <FullTime at={data.createdAt} />
          </dd>
        </dl>
      ) : error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton rows={3} />
      )}
      {isNaming && data && <Rename before={data.name} version={data.version} onClose={() => rename(false)} />}
    </Section>
  )
}

function Rename({ before, version, onClose }: { readonly before: string; readonly version: number; onClose(): void }) {
  const client = useQueryClient()
  const save = async (name: string): Promise<void> => {
    const saved = await confirmed(() => callApi('PATCH /organization', { version, body: { name } }))
    toast(`Organization renamed to ${saved.name}.`)
    client.setQueryData(organizationQuery.queryKey, saved)
    client.invalidateQueries({ queryKey: meQuery.queryKey }).catch(() => {})
  }
  return <NameDialog title={`Rename ${before}`} action={LABELS.rename} before={before} save={save} onClose={onClose} />
}

function Export() {
  const mayExport = useMay('export.read') !== undefined
  const keep = useMutation({
    mutationFn: () => confirmed(() => keepFile('GET /organization/export', 'organization.ndjson')),
    onSuccess: () => toast('Export downloaded.'),
  })
  return (
    <Section title="Export">
      {mayExport ? (
        <div className="flex flex-col items-start gap-3">
          <p className="text-muted">
            Members, invites, projects, keys without secrets, budgets and the audit log as NDJSON. Export usage on{' '}
            <Link to="/requests" className="underline underline-offset-2">
              {LABELS.requests}
            </Link>
            .
          </p>
          {keep.error && <Failed error={keep.error} />}
          <Button onClick={() => keep.mutate()} isBusy={keep.isPending}>
            <Download aria-hidden size={14} /> {keep.isPending ? 'Exporting…' : 'Export organization'}
          </Button>
        </div>
      ) : (
        <Forbidden>Only owners can export the organization.</Forbidden>
      )}
    </Section>
  )
}

function Danger() {
  const [isLeaving, leave] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const membership = useMembership()
  // The first organization manages the gateway.
  const mayDelete = useMay('organization.delete') !== undefined && membership?.organization !== 'org_default'
  return (
    <Section title="Danger zone" className="border-bad!">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">You'll need a new invite to come back. The last owner cannot leave.</p>
        <Button look="danger" onClick={() => leave(true)}>
          Leave organization
        </Button>
      </div>
      {mayDelete && (
        <div className="mt-3 flex flex-wrap items-center justify-between gap-3">
          <p className="text-muted">Deletes the organization, and revokes its keys. Usage is kept.</p>
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete organization
          </Button>
        </div>
      )}
      {isLeaving && <LeaveOrganization onClose={() => leave(false)} />}
      {isDeleting && membership && <DeleteOrganization name={membership.name} onClose={() => setDeleting(false)} />}
    </Section>
  )
}
