import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type AnswerOf, ask } from '../../api/ask.ts'
import { useMay } from '../../api/me.ts'
import { organizationQuery } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { toast } from '../../components/toasts.tsx'
import { confirmed } from '../../confirm/confirmed.ts'
import type { Limits } from '../../limits/limit-draft.ts'
import { LimitsDialog } from '../../limits/limits-dialog.tsx'

type Organization = AnswerOf<'GET /organization'>

export interface MemberLimitsProps {
  limitsText(limits: Limits): string
}

/** How much each member may ask with all of their keys together. Owners set it. */
export function MemberLimits({ limitsText }: MemberLimitsProps) {
  const mayWrite = useMay('organization.write') !== undefined
  const [isOpen, setOpen] = useState(false)
  const { data } = useQuery(organizationQuery)
  if (!data || (!mayWrite && !data.memberLimits)) return null
  return (
    <p className="flex flex-wrap items-center justify-between gap-x-4 py-1.5">
      <span>
        <span className="text-muted">each</span> member
      </span>
      <span className="flex items-center gap-3">
        {data.memberLimits ? limitsText(data.memberLimits) : <span className="text-muted">no limit</span>}
        {mayWrite && (
          <Button look="quiet" onClick={() => setOpen(true)} aria-label="Change the limits of each member">
            Change
          </Button>
        )}
      </span>
      {isOpen && <ChangeMemberLimits of={data} onClose={() => setOpen(false)} />}
    </p>
  )
}

function ChangeMemberLimits({ of, onClose }: { readonly of: Organization; onClose(): void }) {
  const client = useQueryClient()
  const save = async (limits: Limits): Promise<void> => {
    const memberLimits = Object.keys(limits).length > 0 ? limits : null
    await confirmed(() => ask('PATCH /organization', { version: of.version, body: { memberLimits } }))
    toast(memberLimits ? 'Members are limited, in every process within a second.' : 'Members are not limited any more.')
    await client.invalidateQueries({ queryKey: ['organization'] })
  }
  return (
    <LimitsDialog
      title="Limits of each member"
      limits={of.memberLimits}
      save={save}
      note="All keys that a member created count together. Owners and admins, who set limits, and service keys are not bound."
      onClose={onClose}
    />
  )
}
