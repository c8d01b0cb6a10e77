import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../../../api/call.ts'
import { useMay } from '../../../api/me.ts'
import { type OrganizationDetails, organizationQuery, projectsQuery } from '../../../api/queries.ts'
import { Button } from '../../../components/button.tsx'
import { Combobox } from '../../../components/combobox.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { Section } from '../../../components/page.tsx'
import { toast } from '../../../components/toasts.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'
import { LABELS } from '../../../labels.ts'
import type { OrganizationMember } from './members.ts'

export type StatementRecipients = NonNullable<OrganizationDetails['statementMail']>
type Recipient = StatementRecipients[number]

const ALL = 'All projects'

/** Members who receive the statement of each month by mail. Only owners can change them. */
export function StatementMailSection({ members }: { readonly members: readonly OrganizationMember[] }) {
  const mayWrite = useMay('organization.write') !== undefined
  const [isOpen, setOpen] = useState(false)
  const projects = useQuery(projectsQuery).data?.items ?? []
  const { data } = useQuery(organizationQuery)
  if (!data) return null
  const { statementMail = [], hasMail } = data
  const nameOf = (person: string): string => members.find((one) => one.person === person)?.name ?? person
  return (
    <Section title="Statements by mail">
      <div className="flex flex-col items-start gap-3">
        <p className="text-muted">
          The statement of each month is sent on the first day of the next one, with a CSV file. Members get the usage
          that they may see.
        </p>
        {!hasMail && (
          <p className="rounded-field bg-warn-tint px-3 py-2 text-warn">
            No mail is sent: set <code>accounts.smtp</code> in the configuration of the gateway.
          </p>
        )}
        {statementMail.length === 0 ? (
          <p>No recipients.</p>
        ) : (
          <ul>
            {statementMail.map(({ person, project }) => (
              <li key={`${person} ${project ?? ''}`}>
                {nameOf(person)}
                <span className="text-muted">
                  {' · '}
                  {project === undefined ? ALL : (projects.find(({ id }) => id === project)?.name ?? project)}
                </span>
              </li>
            ))}
          </ul>
        )}
        {mayWrite && (hasMail || statementMail.length > 0) && (
          <Button onClick={() => setOpen(true)}>Change recipients</Button>
        )}
      </div>
      {isOpen && <ChangeRecipients of={data} members={members} onClose={() => setOpen(false)} />}
    </Section>
  )
}

interface ChangeRecipientsProps {
  readonly of: OrganizationDetails
  readonly members: readonly OrganizationMember[]
  onClose(): void
}

/** Recipient as chosen, with an ID for its row. Empty = not chosen. */
interface RecipientDraft {
  readonly row: number
  readonly person: string
  /** Empty = all projects. */
  readonly project: string
}

function ChangeRecipients({ of, members, onClose }: ChangeRecipientsProps) {
  const client = useQueryClient()
  const projects = useQuery(projectsQuery).data?.items ?? []
  const [drafts, setDrafts] = useState<readonly RecipientDraft[]>(() =>
    (of.statementMail ?? []).map(({ person, project = '' }, row) => ({ row, person, project })),
  )
  const save = useMutation({
    mutationFn: (statementMail: StatementRecipients) =>
      confirmed(() =>
        callApi('PATCH /organization', { version: of.version, body: { statementMail: [...statementMail] } }),
      ),
    onSuccess: () => {
      toast('Recipients of statements changed.')
      return client.invalidateQueries({ queryKey: ['organization'] })
    },
  })
  const add = (): void =>
    setDrafts((before) => [...before, { row: (before.at(-1)?.row ?? 0) + 1, person: '', project: '' }])
  const change = (row: number, part: Partial<RecipientDraft>): void =>
    setDrafts((before) => before.map((one) => (one.row === row ? { ...one, ...part } : one)))
  const people = members
    .filter(({ email }) => email !== undefined)
    .map(({ person, name, email }) => ({ value: person, title: name, hint: email }))
  return (
    <FormDialog
      title="Statements by mail"
      lead="Each recipient gets the statement of this month and of later ones."
      isPersistent
      action="Save recipients"
      request={save}
      onSubmit={() => save.mutate(recipientsOf(drafts), { onSuccess: onClose })}
      onClose={onClose}
    >
      {drafts.map(({ row, person, project }, place) => (
        <div key={row} className="flex items-end gap-2">
          <Combobox
            label={`Recipient ${place + 1}`}
            value={person}
            placeholder="Choose a member"
            options={people}
            onChange={(value) => change(row, { person: value })}
          />
          <Combobox
            label={LABELS.project}
            value={project}
            options={[{ value: '', title: ALL }, ...projects.map(({ id, name }) => ({ value: id, title: name }))]}
            onChange={(value) => change(row, { project: value })}
          />
          <Button
            look="quiet"
            aria-label={`${LABELS.remove} recipient ${place + 1}`}
            onClick={() => setDrafts((before) => before.filter((one) => one.row !== row))}
          >
            <Trash2 aria-hidden size={14} />
          </Button>
        </div>
      ))}
      <div>
        <Button onClick={add}>
          <Plus aria-hidden size={14} /> Add recipient
        </Button>
      </div>
    </FormDialog>
  )
}

/** Chosen recipients. Rows without a member are left out. */
function recipientsOf(drafts: readonly RecipientDraft[]): StatementRecipients {
  return drafts.flatMap(({ person, project }): Recipient[] =>
    person === '' ? [] : [project === '' ? { person } : { person, project }],
  )
}
