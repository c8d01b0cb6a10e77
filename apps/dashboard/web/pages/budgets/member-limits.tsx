import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../api/call.ts'
import { useMay } from '../../api/me.ts'
import { type OrganizationDetails, organizationQuery } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import { LABELS } from '../../labels.ts'
import type { LimitValues } from '../../limits/limit-draft.ts'
import { LimitsDialog } from '../../limits/limits-dialog.tsx'

export interface MemberLimitsProps {
  limitsText(limits: LimitValues): string
}

/** Rate limits of each member, over all of their keys. Only owners can change them. */
export function MemberLimits({ limitsText }: MemberLimitsProps) {
  const mayWrite = useMay('organization.write') !== undefined
  const [isOpen, setOpen] = useState(false)
  const { data } = useQuery(organizationQuery)
  if (!data || (!mayWrite && !data.memberLimits)) return null
  return (
    <p className="flex flex-wrap items-center justify-between gap-x-4 py-1.5">
      <span>
        <span className="text-muted">member</span> each
      </span>
      <span className="flex items-center gap-3">
        {data.memberLimits ? limitsText(data.memberLimits) : <span className="text-muted">{LABELS.unlimited}</span>}
        {mayWrite && (
          <Button look="quiet" onClick={() => setOpen(true)} aria-label="Change rate limits of each member">
            {LABELS.change}
          </Button>
        )}
      </span>
      {isOpen && <ChangeMemberLimits of={data} onClose={() => setOpen(false)} />}
    </p>
  )
}

function ChangeMemberLimits({ of, onClose }: { readonly of: OrganizationDetails; onClose(): void }) {
  const client = useQueryClient()
  const save = async (limits: LimitValues): Promise<void> => {
    const memberLimits = Object.keys(limits).length > 0 ? limits : null
    await confirmed(() => callApi('PATCH /organization', { version: of.version, body: { memberLimits } }))
    toast(memberLimits ? 'Rate limits of members set. They apply within a second.' : 'Rate limits of members removed.')
    await client.invalidateQueries({ queryKey: ['organization'] })
  }
  return (
    <LimitsDialog
      title="Rate limits of each member"
      limits={of.memberLimits}
      save={save}
      note="All keys of a member count together. The limits do not apply to owners, admins and service keys."
      onClose={onClose}
    />
  )
}
