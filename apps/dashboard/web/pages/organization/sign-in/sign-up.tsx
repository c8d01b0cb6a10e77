import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi, type ResponseOf } from '../../../api/call.ts'
import { type OrganizationDetails, organizationQuery, signInMethodsQuery } from '../../../api/queries.ts'
import { Button } from '../../../components/button.tsx'
import { SelectField, TextArea } from '../../../components/field.tsx'
import { fieldError } from '../../../components/form.tsx'
import { FormDialog } from '../../../components/form-dialog.tsx'
import { Section } from '../../../components/page.tsx'
import { Failed, Note, Skeleton } from '../../../components/states.tsx'
import { toast } from '../../../components/toasts.tsx'
import { confirmed } from '../../../confirm/confirmed.ts'
import { LABELS } from '../../../labels.ts'

/** Sign-up policy: the users who can create an account without an invite. */
export function SignUp({ mayChange }: { readonly mayChange: boolean }) {
  const { data, error, refetch } = useQuery(organizationQuery)
  const [isChanging, change] = useState(false)
  return (
    <Section
      title="Sign-up"
      actions={
        mayChange &&
        data && (
          <Button look="quiet" onClick={() => change(true)}>
            {LABELS.change}
            <span className="sr-only"> sign-up</span>
          </Button>
        )
      }
    >
      {data ? (
        <p>{signUpSentence(data)}</p>
      ) : error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton rows={1} />
      )}
      {!mayChange && <p className="mt-2 text-small text-muted">Only owners can change this.</p>}
      {isChanging && data && <ChangeSignUp of={data} onClose={() => change(false)} />}
    </Section>
  )
}

const CHOICES = [
  { value: 'invite', title: 'Invited users only' },
  { value: 'open', title: 'Anyone with an email address of these domains' },
] as const

function ChangeSignUp({ of, onClose }: { readonly of: OrganizationDetails; onClose(): void }) {
  const client = useQueryClient()
  const canMail = useQuery(signInMethodsQuery).data?.canMail
  const [signUp, setSignUp] = useState(of.signUp)
  const [domains, setDomains] = useState(of.domains.join('\n'))
  const save = useMutation({
    mutationFn: () =>
      confirmed(() =>
        callApi('PATCH /organization', { version: of.version, body: { signUp, domains: [...domainsOf(domains)] } }),
      ),
    onSuccess: (saved) => {
      toast(signUpSentence(saved))
      onClose()
      client.setQueryData(organizationQuery.queryKey, saved)
    },
  })
  return (
    <FormDialog
      title="Change sign-up"
      action={LABELS.save}
      request={save}
      fields={['signUp']}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="Allowed sign-ups"
        value={signUp}
        onPick={setSignUp}
        choices={CHOICES}
        error={fieldError(save.error, 'signUp')}
      />
      {signUp === 'open' && (
        <TextArea
          label="Domains"
          rows={3}
          spellCheck={false}
          placeholder="example.com"
          value={domains}
          onText={setDomains}
          hint="One per line. New users become members after they open the link that they receive by email."
        />
      )}
      {signUp === 'open' && canMail === false && (
        <Note>This gateway cannot send email, so users cannot sign up. Configure accounts.smtp first.</Note>
      )}
    </FormDialog>
  )
}

/** Sentence that describes the sign-up policy. */
export function signUpSentence({
  signUp,
  domains,
}: Pick<ResponseOf<'GET /organization'>, 'signUp' | 'domains'>): string {
  if (signUp === 'invite') return 'Only invited users, and users with a role from an identity provider.'
  if (domains.length === 0) return 'No one: sign-up is open, but no domain is allowed.'
  return `Anyone with an email address at ${domains.join(', ')} can join as a member.`
}

/** Unique domains of a list that is separated by lines, commas or spaces. */
export function domainsOf(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((one) => one !== ''))]
}
